import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { writeBatch, type BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { usePlace, useStaging } from "../changesets/staging";
import { useView } from "../changesets/view";

/**
 * Plans a batch and does it, in what the page works in or in a change set that it enters then. Where a protection leaves the way
 * through a change set only, the plan is made again in the one that is chosen.
 */
export function useBatch(rows: Row[], operations: BatchOperation[], ready: boolean, onDone: () => void) {
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const place = usePlace();
  const { where } = place;
  const [paused] = useDebouncedValue(operations, 300);
  const planned = useQuery({ queryKey: ["plans", paused, where], queryFn: () => writeBatch(paused, { dryRun: true, changeSet: where }), enabled: ready && paused === operations, staleTime: 0, gcTime: 0, retry: false });
  const apply = useMutation({
    mutationFn: (changeSet: string | undefined) => writeBatch(operations, { message, changeSet }),
    onSuccess: async (_, changeSet) => {
      onDone();
      queries.removeQueries({ queryKey: ["document"] });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "plans" });
      if (changeSet !== undefined) enter(changeSet);
    },
  });
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const error = (ready && planned.error) || apply.error;
  const { direct, stage } = useStaging(place, ids, error, apply);
  const plan = ready && paused === operations ? planned.data : undefined;
  return { plan, error, direct, where, stage, apply: () => apply.mutate(where), applying: apply.isPending, message, setMessage };
}
