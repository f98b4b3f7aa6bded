import { Alert, Button, Code, Group, Stack, Table, Tabs, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Source } from "../api/documents";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { WideTable } from "../shell/WideTable";
import { syntaxMarks } from "../yaml/diagnostics";
import { YamlDiff, YamlEditor } from "../yaml/lazy";
import { merge, withValue, type Conflict } from "../yaml/merge";

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

interface ConflictsProps {
  conflicts: Conflict[];
  onTake: (path: string[], value: unknown) => void;
}

function Conflicts({ conflicts, onTake }: ConflictsProps) {
  const t = useTexts();
  const show = (value: unknown) => (value === undefined ? t("common.absent") : JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v)));
  return (
    <WideTable>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("common.conflictValue")}</Table.Th>
          <Table.Th>{t("common.beforeBoth")}</Table.Th>
          <Table.Th>{t("explorer.theirs")}</Table.Th>
          <Table.Th>{t("explorer.yours")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {conflicts.map(({ path, before, yours, theirs }) => (
          <Table.Tr key={path.join("/")}>
            <Table.Td>
              <Code>{path.join(".")}</Code>
            </Table.Td>
            <Table.Td>{show(before)}</Table.Td>
            <Table.Td>
              {show(theirs)}{" "}
              <Button size="compact-xs" variant="default" onClick={() => onTake(path, theirs)}>
                {t("explorer.takeTheirs")}
              </Button>
            </Table.Td>
            <Table.Td>
              {show(yours)}{" "}
              <Button size="compact-xs" variant="default" onClick={() => onTake(path, yours)}>
                {t("explorer.takeYours")}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
