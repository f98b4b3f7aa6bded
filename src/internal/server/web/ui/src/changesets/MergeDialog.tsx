import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Effects } from "../history/Effects";
import { Refusal } from "../history/Refusal";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { mergeChangeSet, type ChangeSet } from "./queries";
import { titleOf } from "./review";

interface Props {
  changeSet: ChangeSet;
  onDone: () => void;
  onClose: () => void;
}

/** Shows what a merge would do to each document, or why it is refused, and merges. */
export function MergeDialog({ changeSet, onDone, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const { name, version } = changeSet;
  const title = titleOf(changeSet);
  const [message, setMessage] = useState(title);
  const plan = useQuery({ queryKey: ["merge", name, version], queryFn: () => mergeChangeSet(name, "", true), staleTime: 0, gcTime: 0, retry: false });
  const merge = useMutation({
    mutationFn: () => mergeChangeSet(name, message, false),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries();
      onDone();
    },
  });
  const { operations = [], total = operations.length } = plan.data ?? {};
  const error = merge.error ?? plan.error;
  return (
    <Dialog title={t("changesets.mergeTitleOf", { title })} size="xl" onClose={onClose}>
      <Stack>
        <Text>{t("changesets.mergeText")}</Text>
        {plan.isPending && <Text role="status">{t("common.loading")}</Text>}
        {plan.data && <Effects written={{ results: operations }} />}
        {operations.length < total && <Text size="sm">{t("common.deleteShown", { shown: operations.length, total })}</Text>}
        {plan.data && <MessageField value={message} onChange={setMessage} />}
        {error && <Refusal error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button color="teal.9" loading={merge.isPending} disabled={!plan.data} onClick={() => merge.mutate()}>
            {t("changesets.merge")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
