import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { StageInstead } from "../changesets/StageInstead";
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

/** Shows what undoing a transaction would change, or why it cannot be undone, and undoes it. */
export function RevertDialog({ position, onDone, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const plan = useQuery({ queryKey: ["revert", position], queryFn: () => revert(position, { dryRun: true }), staleTime: 0, gcTime: 0, retry: false });
  const undo = useMutation({
    mutationFn: () => revert(position, { message }),
    onSuccess: async () => {
      onDone();
      await queries.invalidateQueries();
    },
  });
  const unchanged = plan.data?.results.every(({ effect }) => effect === "unchanged") ?? true;
  const error = plan.error ?? undo.error;
  const stage = async (changeSet: string) => {
    await revert(position, { message, changeSet });
    enter(changeSet);
  };
  return (
    <Dialog title={t("history.revertTitle")} size="xl" onClose={onClose}>
      <Stack>
        <Text>{t("history.revertText")}</Text>
        {plan.isPending && <Text role="status">{t("common.loading")}</Text>}
        {plan.data && <Effects written={plan.data} />}
        {plan.data && !unchanged && <MessageField value={message} onChange={setMessage} />}
        {error && <Refusal error={error} onStage={stage} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <StageInstead disabled={!plan.data || unchanged} onStage={stage} />
          <Button loading={undo.isPending} disabled={!plan.data || unchanged} onClick={() => undo.mutate()}>
            {t("history.revert")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
