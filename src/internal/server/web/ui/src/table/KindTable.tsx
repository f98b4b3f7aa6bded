import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTable, type ColumnDef, type RowSelectionState } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { rightsQuery } from "../api/access";
import { rowsQuery, type Row } from "../api/queries";
import { moment } from "../api/view";
import { NewMenu } from "../explorer/NewMenu";
import { filterOf } from "../explorer/searches";
import { countsQuery } from "../home/queries";
import { useTexts } from "../i18n/texts";
import { shortName } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { Filters } from "../shell/Filters";
import { ProblemAlert } from "../shell/ProblemAlert";
import { Suggest } from "../shell/Suggest";
import { Waiting } from "../shell/Waiting";
import { BulkBar } from "./BulkBar";
import { Columns } from "./Columns";
import { columnsOf, compareKeys, shownColumns, sortText, sortingOf } from "./columns";
import { fieldsOf, labelsOf } from "./choices";
import { features, type Features } from "./features";
import { useLiveRows } from "./live";
import { Rows } from "./Rows";
import { Views } from "./Views";

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
  const [cleared, setCleared] = useState(0); // how often the filters were cleared
  const filter = filterOf(search);
  const under = filter.under ?? "";
  const list = useInfiniteQuery(rowsQuery(filter));
  const all = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && all.length < most) void fetchNextPage();
  }, [all.length, fetchNextPage, hasNextPage, isError, isFetching, most]);

  const like = (search.like ?? "").trim().toLowerCase();
  const data = useMemo(() => (like === "" ? all : all.filter(({ id }) => shortName(id, under).toLowerCase().includes(like))), [all, like, under]);
  const authors = (useQuery(rightsQuery).data?.principal ?? "") !== ""; // or nobody is known who changes anything
  const known = useMemo(() => columnsOf(kind, under, authors), [kind, under, authors]);
  const shown = useMemo(() => shownColumns(kind, known, { columns: search.columns, wide: search.wide }), [kind, known, search.columns, search.wide]);
  const columns = useMemo(() => shown.map((column): ColumnDef<Features, Row> => ({
    id: column.id, accessorFn: column.sortKey, meta: column, sortDescFirst: false, sortUndefined: "last",
    sortFn: (a, b, id) => compareKeys(a.getValue<string | number>(id), b.getValue<string | number>(id)),
  })), [shown]);
  const sorting = useMemo(() => sortingOf(search.sort, shown), [search.sort, shown]);
  const others = shown.flatMap((column) => (column.own && !known.includes(column) ? [column.own] : []));
  const narrow = (next: Partial<ExplorerSearch>) => navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const go = (next: Partial<ExplorerSearch>) => void narrow(next);
  const clear = async () => {
    await narrow({ like: undefined, labels: undefined, fields: undefined });
    setCleared(cleared + 1);
  };
  const table = useTable({
    features, columns, data, getRowId: (row: Row) => row.id,
    state: { sorting, rowSelection: selected },
    onSortingChange: (change) => go({ sort: sortText(typeof change === "function" ? change(sorting) : change) }),
    onRowSelectionChange: setSelected,
  });
  const rows = table.getRowModel().rows;
  const chosen = rows.filter((row) => selected[row.id]).map((row) => row.original);
  const labels = useMemo(() => labelsOf(all), [all]);
  const fields = useMemo(() => fieldsOf(kind, all), [all, kind]);
  const changed = useLiveRows(kind.name, filter);
  const narrowing = [search.like, search.labels, search.fields].filter((text) => text !== undefined).length;
  const complete = list.isSuccess && !hasNextPage;
  const cut = list.isSuccess && !complete && !isFetching;
  const counts = useQuery({ ...countsQuery, enabled: cut && moment() === "" && Object.keys(filter).length === 1 }); // without a filter it is known how many there are
  const counted = () => {
    const total = counts.data?.kinds[kind.name];
    if (list.isPending) return undefined; // what waits in the place of the rows says so
    if (isFetching && !complete) return t("table.rowsLoading", { n: all.length });
    if (!complete) return total === undefined ? t("table.rowsCut", { n: all.length }) : t("table.rowsCutOf", { n: all.length, all: total });
    return rows.length === all.length ? t("table.rowCount", { all: all.length }) : t("table.rowCountOf", { shown: rows.length, all: all.length });
  };
  const above = under === "" ? undefined : model.kindOf(under);
  const isNewHere = under === "" ? !kind.parent : above !== undefined && model.childKinds(above).includes(kind);
  return (
    <Stack gap="sm" component="section" aria-label={t("common.results")}>
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={2}>{kind.name}</Title>
          <Text role="status" c="dimmed" size="sm">
            {counted()}
          </Text>
        </Group>
        <Group gap="sm">
          <Columns kind={kind} rows={all} known={known} shown={shown} search={search} onChange={go} />
          <Views kind={kind} search={search} />
          {isNewHere && <NewMenu kinds={[kind]} under={under} />}
        </Group>
      </Group>
      {kind.description && <Text c="dimmed">{kind.description}</Text>}
      <Filters active={narrowing}>
        <Group align="flex-end" gap="sm">
          <TextInput key={cleared} data-filter type="search" label={t("table.filterNames")} w={220} defaultValue={search.like ?? ""} onChange={(event) => go({ like: event.currentTarget.value.trim() || undefined })} />
          <Suggest label={t("table.filterLabels")} value={search.labels ?? ""} options={labels} onChoose={(text) => go({ labels: text || undefined })} />
          <Suggest label={t("table.filterFields")} value={search.fields ?? ""} options={fields} onChoose={(text) => go({ fields: text || undefined })} />
          {narrowing > 0 && (
            <Button variant="subtle" onClick={() => void clear()}>
              {t("common.clearFilter")}
            </Button>
          )}
        </Group>
      </Filters>
      {list.isPending && <Waiting rows={8} />}
      {list.isError && <ProblemAlert error={list.error} />}
      {complete && all.length === 0 && <Text>{t("common.nothingFound")}</Text>}
      {all.length > 0 && (
        <>
          <BulkBar model={model} kind={kind} chosen={chosen} shown={rows.map((row) => row.original)} others={others} complete={complete} onClear={() => setSelected({})} />
          <Rows kind={kind} table={table} under={under} search={search} changed={changed} />
        </>
      )}
      {hasNextPage && all.length >= most && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} onClick={() => setMost(all.length + rowsAtOnce)}>
          {t("common.more")}
        </Button>
      )}
    </Stack>
  );
}
