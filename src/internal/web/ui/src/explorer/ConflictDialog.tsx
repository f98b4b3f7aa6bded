import { Alert, Button, Group, Stack, Tabs, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Source } from "../api/documents";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
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
  onSave: (text: string) => void;
  onClose: () => void;
}

/** After a clash: what they changed, what you changed, and both together, to be corrected and saved. */
export function ConflictDialog({ base, yours, theirs, saving, error, onSave, onClose }: Props) {
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
          <Button loading={saving} disabled={marks.length > 0} onClick={() => onSave(text)}>
            {t("explorer.saveMerged")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
