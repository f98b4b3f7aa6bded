import { Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { withoutStatus } from "../api/documents";
import { PlanActions } from "../changesets/PlanActions";
import { usePlace, useStaging } from "../changesets/staging";
import { useView } from "../changesets/view";
import { useTexts } from "../i18n/texts";
import { nameOf } from "../model/ids";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { RevealNote } from "../shell/Secrets";
import { YamlDiff } from "../yaml/lazy";
import { revisionOf } from "./choice";
import { useHidden } from "./hidden";
import { Effects } from "./Effects";
import { useVersionLabel } from "./Made";
import { rollback, textQuery, type Version } from "./queries";
import { Refusal } from "./Refusal";

interface Props {
  id: string;
  path: string;
  version: Version;
  onDone: () => void;
  onClose: () => void;
}

/** Shows what a document would become with an earlier version, and gives it that. */
export function RestoreDialog({ id, path, version, onDone, onClose }: Props) {
  const t = useTexts();
  const labelOf = useVersionLabel();
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const place = usePlace();
  const { where } = place;
  const plan = useQuery({ queryKey: ["rollback", id, version.version, where], queryFn: () => rollback(id, version.version, { dryRun: true, changeSet: where }), staleTime: 0, gcTime: 0, retry: false });
  const now = useQuery(textQuery(path));
  const then = useQuery({ ...textQuery(path, version.position), enabled: version.position !== undefined });
  const restore = useMutation({
    mutationFn: (changeSet: string | undefined) => rollback(id, version.version, { message, changeSet }),
    onSuccess: async (_, changeSet) => {
      if (changeSet === undefined) onDone();
      else onClose();
      await queries.invalidateQueries();
      if (changeSet !== undefined) enter(changeSet);
    },
  });
  const { hidden, hide, reveal } = useHidden(id, path, [version]);
  const unchanged = plan.data?.results.every(({ effect }) => effect === "unchanged") ?? true;
  const error = plan.error ?? restore.error;
  const ids = useMemo(() => [id], [id]);
  const { direct, stage } = useStaging(place, ids, error, restore);
  return (
    <Dialog title={t("history.restoreTitle", { name: nameOf(id), n: revisionOf(version) })} size="80%" onClose={onClose}>
      <Stack>
        <Text>{t("history.restoreText")}</Text>
        {plan.isPending && <Text role="status">{t("common.loading")}</Text>}
        {plan.data && <Effects written={plan.data} />}
        {hidden && <RevealNote reveal={reveal} />}
        {now.data !== undefined && then.data !== undefined && !unchanged && (
          <YamlDiff before={hide(withoutStatus(now.data))} after={hide(withoutStatus(then.data))} beforeLabel={t("common.reviewBefore")} afterLabel={labelOf(version)} />
        )}
        {plan.data && !unchanged && <MessageField value={message} onChange={setMessage} />}
        <PlanActions error={error} problem={<Refusal error={error} onStage={stage} />} ready={plan.data !== undefined && !unchanged} direct={direct} where={where} doing={restore.isPending} onDo={() => restore.mutate(where)} onStage={stage} onCancel={onClose}>
          {t("history.restoreVersion")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}
