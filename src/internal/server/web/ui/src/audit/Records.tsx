import { Badge, Button, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { When } from "../shell/When";
import { WideTable } from "../shell/WideTable";
import type { Action, AuditRecord, Entry } from "./queries";

/** Records as a table. */
export function Records({ records }: { records: AuditRecord[] }) {
  const t = useTexts();
  return (
    <WideTable aria-label={t("audit.auditRecords")} verticalSpacing={4} minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={130}>{t("audit.auditTime")}</Table.Th>
          <Table.Th w={190}>{t("history.user")}</Table.Th>
          <Table.Th w={150}>{t("audit.auditAction")}</Table.Th>
          <Table.Th>{t("common.documents")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{records.map((record) => <Row key={record.id} record={record} />)}</Table.Tbody>
    </WideTable>
  );
}

/** How many documents of a record are listed at first. */
const fewEntries = 5;

function Row({ record }: { record: AuditRecord }) {
  const t = useTexts();
  const [all, setAll] = useState(false);
  const nameOf = useActionName();
  const { at, principal, groups, operations, total, dryRun, refused, address, event } = record;
  const shown = all ? operations : operations.slice(0, fewEntries);
  return (
    <Table.Tr style={{ verticalAlign: "top" }} data-refused={refused !== undefined || undefined}>
      <Table.Td><When time={at} /></Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }} title={groups?.join(", ")}>{principal || address || t("common.unknownUser")}</Table.Td>
      <Table.Td>
        <Stack gap={4} align="flex-start">
          {event ? <Badge variant="default" tt="none">{nameOf(event)}</Badge> : [...new Set(operations.map(({ effect }) => effect))].map((effect) => effect && <Badge key={effect} variant="default" tt="none">{nameOf(effect)}</Badge>)}
          {dryRun && <Badge variant="default" tt="none">{t("audit.auditDryRun")}</Badge>}
          {refused !== undefined && <Badge color="red" variant="outline" tt="none" c="var(--mantine-color-text)">✕ {nameOf("refused")}</Badge>}
        </Stack>
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {refused !== undefined && <Text size="sm">{refused}</Text>}
        {event === "login" && total > 1 && <Text size="sm">{t("audit.auditLogins", { n: total })}</Text>}
        {shown.map((entry) => <Document key={`${entry.id} ${entry.effect ?? entry.verb ?? ""}`} entry={entry} />)}
        {!all && operations.length > fewEntries && <Button variant="default" size="compact-xs" mt={4} onClick={() => setAll(true)}>{t("common.showAll", { n: operations.length })}</Button>}
        {event !== "login" && total > operations.length && <Text size="sm" c="dimmed">{t("common.andMore", { n: total - operations.length })}</Text>}
      </Table.Td>
    </Table.Tr>
  );
}

/** A document with what happened to it, and the way to its history. */
function Document({ entry: { id, kind, effect, verb, before, after } }: { entry: Entry }) {
  const t = useTexts();
  const versions = [before, after].filter((version) => version !== undefined && version !== "").map((version) => revisionIn(version ?? "")).join(" → ");
  return (
    <div>
      <PageLink to="/explorer" search={{ id, tab: "history" }} size="sm" underline="always">{id}</PageLink>{" "}
      <Text span size="xs" c="dimmed">
        {[kind, effect ?? verb, versions && t("audit.auditRevisions", { versions })].filter(Boolean).join(" · ")}
      </Text>
    </div>
  );
}

/** The revision in a version. */
function revisionIn(version: string): string {
  return version.slice(version.lastIndexOf("-") + 1);
}

/** How actions are called. */
export function useActionName(): (action: Action) => string {
  const t = useTexts();
  const names: Record<Action, string> = { created: t("common.opCreated"), updated: t("common.opUpdated"), deleted: t("common.opDeleted"), read: t("audit.auditRead"), reveal: t("audit.auditReveal"), login: t("audit.auditLogin"), refused: t("audit.auditRefused") };
  return (action) => names[action];
}
