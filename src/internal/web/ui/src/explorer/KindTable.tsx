import { Button, Group, Stack, Switch, Table, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { rowsQuery, type Row } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { cellOf, noValue, type Column } from "../model/columns";
import { shortName } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { WideTable } from "../shell/WideTable";
import { LifecycleBadge } from "./LifecycleBadge";
import { NewMenu } from "./NewMenu";
import { filterOf } from "./searches";

const route = getRouteApi("/explorer");

/** The documents of a kind that a search finds, with the columns that the ref-schema names, or when they were written. */
export function KindTable({ model, kind, search }: { model: Model; kind: Kind; search: ExplorerSearch }) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const [now] = useState(() => new Date());
  const filter = filterOf(search);
  const list = useInfiniteQuery(rowsQuery(filter));
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const wide = search.wide === "true";
  const own = kind.columns ?? [];
  const columns = [...own.filter((column) => !column.wide), ...(wide ? own.filter((column) => column.wide) : [])];
  const written = wide || own.length === 0; // when the documents were written
  const under = filter.under ?? "";
  const above = under === "" ? undefined : model.kindOf(under);
  const isNewHere = under === "" ? !kind.parent : above !== undefined && model.childKinds(above).includes(kind);
  return (
    <Stack gap="sm" component="section" aria-label={t.results}>
      <Group justify="space-between">
        <Title order={2}>{kind.name}</Title>
        <Group gap="md">
          <Switch label={t.allColumns} checked={wide} onChange={(event) => void navigate({ search: { ...search, wide: event.currentTarget.checked ? "true" : undefined } })} />
          {isNewHere && <NewMenu kinds={[kind]} under={under} />}
        </Group>
      </Group>
      {kind.description && <Text c="dimmed">{kind.description}</Text>}
      {list.isPending && <Text role="status">{t.loading}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && rows.length === 0 && <Text role="status">{t.nothingFound}</Text>}
      {rows.length > 0 && (
        <WideTable highlightOnHover verticalSpacing={6} aria-label={kind.name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.byName}</Table.Th>
              {columns.map((column) => (
                <Table.Th key={column.name} ta={isNumber(column) ? "right" : undefined}>
                  {column.name}
                </Table.Th>
              ))}
              {written && (
                <>
                  <Table.Th ta="right">{t.revision}</Table.Th>
                  <Table.Th>{t.updated}</Table.Th>
                </>
              )}
              {wide && <Table.Th>{t.created}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>
                  <PageLink to="/explorer" search={{ ...search, id: row.id }} title={row.id} size="sm" style={{ overflowWrap: "break-word" }}>
                    {shortName(row.id, under)}
                  </PageLink>
                </Table.Td>
                {columns.map((column) => (
                  <Cell key={column.name} kind={kind} column={column} row={row} now={now} />
                ))}
                {written && (
                  <>
                    <Table.Td ta="right">{row.revision}</Table.Td>
                    <Table.Td style={{ whiteSpace: "nowrap" }}>
                      <When time={row.updated} />
                    </Table.Td>
                  </>
                )}
                {wide && (
                  <Table.Td style={{ whiteSpace: "nowrap" }}>
                    <When time={row.created} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      {list.hasNextPage && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </Stack>
  );
}

function Cell({ kind, column, row, now }: { kind: Kind; column: Column; row: Row; now: Date }) {
  const text = cellOf(column, row.document, now);
  if (kind.lifecycle && column.path === "status.lifecycle.state") {
    return (
      <Table.Td>
        <LifecycleBadge state={text === noValue ? kind.lifecycle.initial : text} />
      </Table.Td>
    );
  }
  return (
    <Table.Td ta={isNumber(column) ? "right" : undefined} c={text === noValue ? "dimmed" : undefined} style={{ overflowWrap: "break-word" }}>
      {text}
    </Table.Td>
  );
}

function isNumber({ type }: Column): boolean {
  return type === "integer" || type === "number";
}
