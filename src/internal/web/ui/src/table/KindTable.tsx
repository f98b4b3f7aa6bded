import { Button, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTable, type ColumnDef, type RowSelectionState } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { rowsQuery, type Row } from "../api/queries";
import { NewMenu } from "../explorer/NewMenu";
import { filterOf } from "../explorer/searches";
import { useTexts } from "../i18n/texts";
import { shortName } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { ProblemAlert } from "../shell/ProblemAlert";
import { Suggest } from "../shell/Suggest";
import { BulkBar } from "./BulkBar";
import { columnsOf, compareKeys, sortText, sortingOf } from "./columns";
import { features, type Features } from "./features";
import { Rows } from "./Rows";

const route = getRouteApi("/explorer");

/** How many rows are read by themselves; more on request. */
const rowsAtOnce = 10_000;

interface Props {
  model: Model;
  kind: Kind;
  search: ExplorerSearch;
}

/** The documents of a kind that a search finds, with the columns that the ref-schema names, or when they were written. The address says how they are sorted and filtered. */
export default function KindTable({ model, kind, search }: Props) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const [most, setMost] = useState(rowsAtOnce);
  const [selected, setSelected] = useState<RowSelectionState>({});
  const filter = filterOf(search);
  const under = filter.under ?? "";
  const list = useInfiniteQuery(rowsQuery(filter));
  const all = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && all.length < most) void fetchNextPage();
  }, [all.length, fetchNextPage, hasNextPage, isError, isFetching, most]);

  const wide = search.wide === "true";
  const like = (search.like ?? "").toLowerCase();
  const data = useMemo(() => (like === "" ? all : all.filter(({ id }) => shortName(id, under).toLowerCase().includes(like))), [all, like, under]);
  const known = useMemo(() => columnsOf(kind, under), [kind, under]);
  const columns = useMemo(() => {
    const shown = known.filter((column) => wide || !column.wide);
    return shown.map((column): ColumnDef<Features, Row> => ({
      id: column.id, accessorFn: column.sortKey, meta: column, sortDescFirst: false, sortUndefined: "last",
      sortFn: (a, b, id) => compareKeys(a.getValue<string | number>(id), b.getValue<string | number>(id)),
    }));
  }, [known, wide]);
  const sorting = useMemo(() => sortingOf(search.sort, known.filter((column) => wide || !column.wide)), [known, search.sort, wide]);
  const go = (change: Partial<ExplorerSearch>) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const table = useTable({
    features, columns, data, getRowId: (row: Row) => row.id,
    state: { sorting, rowSelection: selected },
    onSortingChange: (change) => go({ sort: sortText(typeof change === "function" ? change(sorting) : change) }),
    onRowSelectionChange: setSelected,
  });
  const rows = table.getRowModel().rows;
  const chosen = rows.filter((row) => selected[row.id]).map((row) => row.original);
  const labels = useMemo(() => labelsOf(all), [all]);
  const complete = list.isSuccess && !hasNextPage;
  const above = under === "" ? undefined : model.kindOf(under);
  const isNewHere = under === "" ? !kind.parent : above !== undefined && model.childKinds(above).includes(kind);
  return (
    <Stack gap="sm" component="section" aria-label={t.results}>
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={2}>{kind.name}</Title>
          <Text role="status" c="dimmed" size="sm">
            {list.isPending ? t.loading : complete ? t.rowCount(rows.length, all.length) : isFetching ? t.rowsLoading(all.length) : t.rowsCut(all.length)}
          </Text>
        </Group>
        <Group gap="md">
          <Switch label={t.allColumns} checked={wide} onChange={(event) => go({ wide: event.currentTarget.checked ? "true" : undefined })} />
          {isNewHere && <NewMenu kinds={[kind]} under={under} />}
        </Group>
      </Group>
      {kind.description && <Text c="dimmed">{kind.description}</Text>}
      <Group align="flex-end" gap="sm">
        <TextInput type="search" label={t.filterNames} w={220} defaultValue={search.like ?? ""} onChange={(event) => go({ like: event.currentTarget.value.trim() || undefined })} />
        <Suggest label={t.filterLabels} value={search.labels ?? ""} options={labels} onChoose={(text) => go({ labels: text || undefined })} />
      </Group>
      {list.isError && <ProblemAlert error={list.error} />}
      {complete && all.length === 0 && <Text>{t.nothingFound}</Text>}
      {all.length > 0 && (
        <>
          <BulkBar kind={kind} chosen={chosen} shown={rows.map((row) => row.original)} complete={complete} onClear={() => setSelected({})} />
          <Rows kind={kind} table={table} under={under} search={search} />
        </>
      )}
      {hasNextPage && all.length >= most && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} onClick={() => setMost(all.length + rowsAtOnce)}>
          {t.more}
        </Button>
      )}
    </Stack>
  );
}

/** The labels of the rows as selectors, those of most rows first. */
function labelsOf(rows: Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { document } of rows) {
    const { labels = {} } = (document.metadata ?? {}) as { labels?: Record<string, unknown> };
    for (const [name, value] of Object.entries(labels)) {
      if (typeof value === "string") counts.set(`${name}=${value}`, (counts.get(`${name}=${value}`) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([label]) => label);
}
