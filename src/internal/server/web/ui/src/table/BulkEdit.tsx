import { ActionIcon, Autocomplete, Button, Checkbox, Code, Group, ScrollArea, Stack, Table, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import type { BatchOperation } from "../api/documents";
import type { Row } from "../api/queries";
import { PlanActions } from "../changesets/PlanActions";
import { useTexts } from "../i18n/texts";
import { writeExact } from "../model/exact";
import type { Kind } from "../model/kinds";
import { Dialog } from "../shell/Dialog";
import { DocumentLink } from "../shell/links";
import { MessageField } from "../shell/MessageField";
import { useBatch } from "./bulk";
import { offersOf, patchOf, pathsOf, valueBefore, type Fault, type FieldEdit } from "./fieldedits";

interface Props {
  kind: Kind;
  rows: Row[];
  onClose: (done: boolean) => void;
}

/** An edit with a number of its own, which it keeps while others before it are taken away. */
type Line = FieldEdit & { line: number };

const empty = (line: number): Line => ({ line, path: "", text: "", remove: false });

/** How many documents are listed with what they have before. */
const mostListed = 200;

/** Sets fields of the documents that are selected, or removes them, after it has shown what each has now and how many that changes. */
export function BulkEdit({ kind, rows, onClose }: Props) {
  const t = useTexts();
  const [edits, setEdits] = useState([empty(0)]);
  const paths = useMemo(() => pathsOf(kind, rows), [kind, rows]);
  const patch = useMemo(() => patchOf(kind, edits), [kind, edits]);
  const operations = useMemo(() => ("data" in patch ? rows.map(({ id }): BatchOperation => ({ op: "patch", id, data: patch.data })) : []), [patch, rows]);
  const ready = operations.length > 0;
  const { plan, error, direct, where, stage, apply, applying, message, setMessage } = useBatch(rows, operations, ready, () => onClose(true));
  const changing = useMemo(() => new Set(plan?.filter(({ effect }) => effect !== "unchanged").map(({ id }) => id)), [plan]);
  const change = (at: number, next: Partial<FieldEdit>) => setEdits(edits.map((edit, i) => (i === at ? { ...edit, ...next } : edit)));
  const faults: Record<Fault, string | undefined> = {
    "": undefined, noValue: undefined, list: t("table.editList"), forbidden: t("table.editForbidden"), inside: t("table.editInside"), yaml: t("table.editYaml"),
  };
  const faultAt = (at: number) => ("fault" in patch && patch.at === at ? patch.fault : undefined);
  return (
    <Dialog title={t("table.editSelected", { n: rows.length })} size="xl" onClose={() => onClose(false)}>
      <Stack>
        {edits.map((edit, at) => {
          const fault = faultAt(at);
          const said = fault === undefined ? undefined : faults[fault];
          return (
            <Group key={edit.line} role="group" aria-label={t("table.editField", { n: at + 1 })} align="flex-start" gap="sm">
              <Autocomplete data-autofocus={at === 0 || undefined} label={t("table.editPath")} data={paths} limit={50} value={edit.path} error={fault === "yaml" ? undefined : said} style={{ flex: "2 1 220px" }} autoComplete="off" spellCheck={false} onChange={(path) => change(at, { path })} />
              <Autocomplete label={t("common.value")} data={offersOf(kind, rows, edit.path)} limit={50} value={edit.remove ? "" : edit.text} disabled={edit.remove} error={fault === "yaml" ? said : undefined} style={{ flex: "2 1 220px" }} autoComplete="off" spellCheck={false} onChange={(text) => change(at, { text })} />
              <Group gap="sm" mt={30} wrap="nowrap">
                <Checkbox label={t("table.editRemove")} checked={edit.remove} onChange={(event) => change(at, { remove: event.currentTarget.checked })} />
                {edits.length > 1 && (
                  <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: edit.path || t("table.editField", { n: at + 1 }) })} onClick={() => setEdits(edits.filter((_, i) => i !== at))}>
                    ✕
                  </ActionIcon>
                )}
              </Group>
            </Group>
          );
        })}
        <Button variant="subtle" size="xs" style={{ alignSelf: "flex-start" }} onClick={() => setEdits([...edits, empty((edits.at(-1)?.line ?? 0) + 1)])}>
          {t("table.editMore")}
        </Button>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {t("table.editHint")}
        </Text>
        <Text role="status">{plan ? t("table.labelPlan", { n: changing.size, all: rows.length }) : ready && !error ? t("common.checking") : ""}</Text>
        {changing.size > 0 && <Before kind={kind} rows={rows} edits={edits} changed={changing} />}
        <MessageField value={message} onChange={setMessage} />
        <PlanActions error={error} ready={changing.size > 0} direct={direct} where={where} doing={applying} onDo={apply} onStage={stage} onCancel={() => onClose(false)}>
          {t("common.apply")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}

/** What the documents that would change have now in the fields that are set. */
function Before({ kind, rows, edits, changed }: { kind: Kind; rows: Row[]; edits: FieldEdit[]; changed: Set<string> }) {
  const t = useTexts();
  const those = rows.filter(({ id }) => changed.has(id));
  return (
    <>
      <Text fw={600} aria-hidden>
        {t("table.editBefore")}
      </Text>
      <ScrollArea.Autosize mah={240} offsetScrollbars viewportProps={{ tabIndex: 0, "aria-label": t("table.editBefore"), role: "region" }}>
        <Table aria-label={t("table.editBefore")} withRowBorders={false} verticalSpacing={2}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t("common.documents")}</Table.Th>
              {edits.map(({ path }) => (
                <Table.Th key={path} scope="col" style={{ overflowWrap: "anywhere" }}>
                  {path}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {those.slice(0, mostListed).map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>
                  <DocumentLink id={row.id} aside />
                </Table.Td>
                {edits.map(({ path }) => {
                  const value = valueBefore(kind, row, path);
                  return <Table.Td key={path}>{value === undefined ? <Text size="sm" c="dimmed">{t("common.absent")}</Text> : <Code style={{ overflowWrap: "anywhere" }}>{shorten(writeExact(value))}</Code>}</Table.Td>;
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {those.length > mostListed && <Text size="sm">{t("common.deleteShown", { shown: mostListed, total: those.length })}</Text>}
    </>
  );
}

/** How many characters of a value are shown. */
const longest = 200;

function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
