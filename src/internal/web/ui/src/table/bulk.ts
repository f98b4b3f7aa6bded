import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { writeBatch, type BatchOperation } from "../api/documents";
import { useView } from "../changesets/view";

/** Does a batch, in what the page works in or in a change set that it enters then. */
export function useBatch(operations: BatchOperation[], onDone: () => void) {
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const apply = useMutation({
    mutationFn: (changeSet?: string) => writeBatch(operations, { message, changeSet }),
    onSuccess: async (_, changeSet) => {
      onDone();
      queries.removeQueries({ queryKey: ["document"] });
      await queries.invalidateQueries();
      if (changeSet !== undefined) enter(changeSet);
    },
  });
  return { apply, message, setMessage };
}
