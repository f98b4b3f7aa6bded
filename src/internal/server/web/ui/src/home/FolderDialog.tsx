import { Alert, List, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { applyText } from "../api/documents";
import { isProtected } from "../api/problem";
import { PlanActions } from "../changesets/PlanActions";
import { usePlace, useStaging } from "../changesets/staging";
import { useView } from "../changesets/view";
import { Effects } from "../history/Effects";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { faultsOf, joinFiles, type Fault, type FolderFile } from "./folder";

/** How many faults are listed. */
const most = 100;

const none: string[] = [];

/** Shows what the files of a folder would create, or what is wrong in them, and applies them in one transaction. */
export function FolderDialog({ files, onClose }: { files: FolderFile[]; onClose: () => void }) {
  const t = useTexts();
  const queries = useQueryClient();
  const enter = useView();
  const [message, setMessage] = useState("");
  const joined = useMemo(() => joinFiles(files), [files]);
  const place = usePlace();
  const { where } = place;
  const plan = useQuery({ queryKey: ["folder", joined, where], queryFn: () => applyText(joined.text, { dryRun: true, changeSet: where }), enabled: files.length > 0, staleTime: 0, gcTime: 0, retry: false });
  const apply = useMutation({
    mutationFn: (changeSet: string | undefined) => applyText(joined.text, { message, changeSet }),
    onSuccess: async (_, changeSet) => {
      onClose();
      await queries.invalidateQueries();
      if (changeSet !== undefined) enter(changeSet);
    },
  });
  const error = plan.error ?? apply.error;
  const faults = isProtected(error) ? [] : faultsOf(joined, error);
  const { direct, stage } = useStaging(place, none, error, apply);
  const changed = plan.data?.filter(({ effect }) => effect !== "unchanged").length ?? 0;
  return (
    <Dialog title={t("home.folderTitle")} size="xl" onClose={onClose}>
      <Stack>
        <Text role="status">{files.length === 0 ? t("home.folderEmpty") : t("home.folderFiles", { n: files.length })}</Text>
        {plan.isFetching && <Text role="status">{t("common.checking")}</Text>}
        {plan.data?.length === 0 && <Text>{t("home.folderNothing")}</Text>}
        {plan.data && plan.data.length > 0 && (
          <>
            <Text fw={600}>{t("home.folderPlan", { n: changed })}</Text>
            <Effects written={{ results: plan.data }} />
            <MessageField value={message} onChange={setMessage} />
          </>
        )}
        <PlanActions error={error} problem={faults.length > 0 ? <Faults faults={faults} /> : undefined} ready={changed > 0} direct={direct} where={where} doing={apply.isPending} onDo={() => apply.mutate(where)} onStage={stage} onCancel={onClose}>
          {t("common.apply")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}

function Faults({ faults }: { faults: Fault[] }) {
  const t = useTexts();
  return (
    <Alert color="red" role="alert" title={t("home.folderFaults", { n: faults.length })}>
      <List size="sm">
        {faults.slice(0, most).map(({ place, message, remedy }) => (
          <List.Item key={`${place} ${message}`} style={{ overflowWrap: "anywhere" }}>
            <code>{place}</code> {message}
            {remedy && <> — {remedy}</>}
          </List.Item>
        ))}
      </List>
      {faults.length > most && <Text size="sm">{t("common.andMore", { n: faults.length - most })}</Text>}
    </Alert>
  );
}
