import { Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PlanActions } from "../changesets/PlanActions";
import { usePlace, useStaging } from "../changesets/staging";
import { useView } from "../changesets/view";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { Effects } from "./Effects";
import { revert } from "./queries";
import { Refusal } from "./Refusal";

interface Props {
  position: string;
  onDone: () => void;
  onClose: () => void;
}

const none: string[] = [];

/** Shows what undoing a transaction would change, or why it cannot be undone, and undoes it. */
export function RevertDialog({ position, onDone, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const place = usePlace();
  const { where } = place;
  const plan = useQuery({ queryKey: ["revert", position, where], queryFn: () => revert(position, { dryRun: true, changeSet: where }), staleTime: 0, gcTime: 0, retry: false });
  const undo = useMutation({
    mutationFn: (changeSet: string | undefined) => revert(position, { message, changeSet }),
    onSuccess: async (_, changeSet) => {
      if (changeSet === undefined) onDone();
      else onClose();
      await queries.invalidateQueries();
      if (changeSet !== undefined) enter(changeSet);
    },
  });
  const unchanged = plan.data?.results.every(({ effect }) => effect === "unchanged") ?? true;
  const error = plan.error ?? undo.error;
  const { direct, stage } = useStaging(place, none, error, undo); // of what it changes, which the server knows
  return (
    <Dialog title={t("history.revertTitle")} size="xl" onClose={onClose}>
      <Stack>
        <Text>{t("history.revertText")}</Text>
        {plan.isPending && <Text role="status">{t("common.loading")}</Text>}
        {plan.data && <Effects written={plan.data} />}
        {plan.data && !unchanged && <MessageField value={message} onChange={setMessage} />}
        <PlanActions error={error} problem={<Refusal error={error} onStage={stage} />} ready={plan.data !== undefined && !unchanged} direct={direct} where={where} doing={undo.isPending} onDo={() => undo.mutate(where)} onStage={stage} onCancel={onClose}>
          {t("history.revert")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}
