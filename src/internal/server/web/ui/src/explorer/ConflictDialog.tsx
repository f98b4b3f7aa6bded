import { Alert, Button, Group, Stack, Tabs, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Source } from "../api/documents";
import { StageInstead } from "../changesets/StageInstead";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { syntaxMarks } from "../yaml/diagnostics";
import { YamlDiff, YamlEditor } from "../yaml/lazy";
import { merge, withValue } from "../yaml/merge";
import { Conflicts } from "./Conflicts";

interface Props {
  base: Source;
  yours: string;
  theirs: Source;
  saving: boolean;
  error: Error | null;
  direct?: string; // why it can be saved in a change set only
  onSave: (text: string) => void;
  onStage: (text: string, changeSet: string) => Promise<unknown>;
  onClose: () => void;
}

/** After a clash: what they changed, what you changed, and both together, to be corrected and saved. */
export function ConflictDialog({ base, yours, theirs, saving, error, direct, onSave, onStage, onClose }: Props) {
  const t = useTexts();
  const merged = useMemo(() => merge(base.yaml, yours, theirs.yaml), [base, yours, theirs]);
  const [text, setText] = useState(merged.text);
  const marks = useMemo(() => syntaxMarks(text), [text]);
  return (
    <Dialog title={t("explorer.conflictTitle")} size="90%" onClose={onClose}>
      <Stack>
        <Text>{t("explorer.conflictText")}</Text>
        <Alert color={merged.conflicts.length === 0 ? "green" : "yellow"} role="status">
          {merged.conflicts.length === 0 ? t("explorer.mergeClean") : t("common.mergeConflicts", { n: merged.conflicts.length })}
        </Alert>
        {merged.conflicts.length > 0 && <Conflicts conflicts={merged.conflicts} onTake={(path, value) => setText(withValue(text, path, value))} />}
        <Tabs defaultValue="merged" keepMounted={false}>
          <Tabs.List mb="sm">
            <Tabs.Tab value="merged">{t("explorer.merged")}</Tabs.Tab>
            <Tabs.Tab value="theirs">{t("explorer.theirChanges")}</Tabs.Tab>
            <Tabs.Tab value="yours">{t("explorer.yourChanges")}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="merged">
            <YamlEditor label={t("explorer.merged")} value={text} onChange={setText} marks={marks} height="40vh" />
          </Tabs.Panel>
          <Tabs.Panel value="theirs">
            <YamlDiff before={base.yaml} after={theirs.yaml} beforeLabel={t("common.beforeBoth")} afterLabel={t("explorer.theirs")} />
          </Tabs.Panel>
          <Tabs.Panel value="yours">
            <YamlDiff before={base.yaml} after={yours} beforeLabel={t("common.beforeBoth")} afterLabel={t("explorer.yours")} />
          </Tabs.Panel>
        </Tabs>
        {error && <ProblemAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          {direct !== undefined && <StageInstead disabled={marks.length > 0} onStage={(where) => onStage(text, where)} />}
          <ReasonButton reason={direct} loading={saving} disabled={direct === undefined && marks.length > 0} onClick={() => onSave(text)}>
            {t("explorer.saveMerged")}
          </ReasonButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
