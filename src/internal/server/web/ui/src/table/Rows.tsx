import { Box, Checkbox, Table, UnstyledButton } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { Row as RowOf, Table as TableOf } from "@tanstack/react-table";
import { memo, useMemo, useRef, useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { serverNow } from "../api/clock";
import type { Row } from "../api/queries";
import { LifecycleBadge } from "../explorer/LifecycleBadge";
import { useTexts } from "../i18n/texts";
import { cellOf, noValue } from "../model/columns";
import { shortName } from "../model/ids";
import type { Kind } from "../model/kinds";
import { maskValue } from "../model/secrets";
import { PageLink } from "../shell/links";
import { When } from "../shell/When";
import { useAuthors, type Author } from "./authors";
import type { TableColumn } from "./columns";
import type { Features } from "./features";
import classes from "./Rows.module.css";

interface Props {
  kind: Kind;
  table: TableOf<Features, Row>;
  under: string;
  search: ExplorerSearch;
  changed: ReadonlySet<string>; // the ids of rows that others changed a moment ago
}

/** The height of a row, in pixels. */
const height = 32;

/** The table itself. Only the rows near the window are drawn. */
export function Rows({ kind, table, under, search, changed }: Props) {
  const t = useTexts();
  const [now] = useState(() => new Date(serverNow()));
  const scroller = useRef<HTMLDivElement>(null);
  const rows = table.getRowModel().rows;
  // oxlint-disable-next-line react/incompatible-library -- the compiler that it warns of is not used
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 12, scrollMargin: height });
  const drawn = virtual.getVirtualItems();
  const before = Math.max(0, (drawn[0]?.start ?? height) - height);
  const after = Math.max(0, virtual.getTotalSize() - (drawn.at(-1)?.end ?? height) + height);
  const all = table.getAllColumns();
  const columns = useMemo(() => all.map(({ columnDef }) => columnDef.meta as TableColumn), [all]);
  const authors = useAuthors(drawn.flatMap(({ index }) => rows[index]?.original ?? []), columns.some(({ id, own }) => id === "by" && !own));
  return (
    <Box ref={scroller} className={classes.scroller} tabIndex={0} role="group" aria-label={t("table.rowsOf", { kind: kind.name })}>
      <Table highlightOnHover className={classes.table} miw={200 + 150 * columns.length} aria-label={kind.name} aria-rowcount={rows.length + 1}>
        <colgroup>
          <col className={classes.select} />
          <col className={classes.name} />
        </colgroup>
        <Table.Thead className={classes.head}>
          <Table.Tr aria-rowindex={1}>
            <Table.Td>
              <Checkbox size="xs" aria-label={t("table.selectAll")} checked={rows.length > 0 && table.getIsAllRowsSelected()} indeterminate={table.getIsSomeRowsSelected()} onChange={table.getToggleAllRowsSelectedHandler()} />
            </Table.Td>
            {columns.map((column) => (
              <Header key={column.id} column={column} sorted={table.getColumn(column.id)?.getIsSorted() ?? false} onSort={() => table.getColumn(column.id)?.toggleSorting()} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <tr aria-hidden style={{ height: before }} />
          {drawn.map(({ index }) => {
            const row = rows[index];
            if (!row) return null;
            return <BodyRow key={row.id} row={row} index={index} selected={row.getIsSelected()} changed={changed.has(row.id)} kind={kind} author={authors.get(row.original.etag)} columns={columns} under={under} search={search} now={now} />;
          })}
          <tr aria-hidden style={{ height: after }} />
        </Table.Tbody>
      </Table>
    </Box>
  );
}

interface BodyRowProps extends Omit<CellProps, "column" | "row"> {
  row: RowOf<Features, Row>;
  index: number;
  selected: boolean;
  changed: boolean;
  columns: TableColumn[];
}

/** A row, which is drawn again only when it has changed, not whenever the table is scrolled. Of plain elements, as dozens come into view with a frame. */
const BodyRow = memo(function BodyRow({ row, index, selected, changed, columns, under, ...shown }: BodyRowProps) {
  const t = useTexts();
  return (
    <tr aria-rowindex={index + 2} aria-selected={selected} data-changed={changed || undefined} style={{ height }}>
      <td>
        <input type="checkbox" className={classes.check} aria-label={t("table.selectRow", { name: shortName(row.id, under) })} checked={selected} onChange={row.getToggleSelectedHandler()} />
      </td>
      {columns.map((column) => (
        <Cell key={column.id} column={column} row={row.original} under={under} {...shown} />
      ))}
    </tr>
  );
});

/** The head of a column; pressed, the rows are sorted by it: up, down, and then no longer. */
function Header({ column, sorted, onSort }: { column: TableColumn; sorted: false | "asc" | "desc"; onSort: () => void }) {
  const t = useTexts();
  const fixed: Record<string, string> = { name: t("common.byName"), revision: t("common.revision"), updated: t("common.updated"), by: t("common.changedBy"), created: t("common.created") };
  if (column.unsorted) return <Table.Th scope="col">{fixed[column.id]}</Table.Th>;
  return (
    <Table.Th scope="col" ta={column.numeric ? "right" : undefined} aria-sort={sorted === false ? "none" : sorted === "asc" ? "ascending" : "descending"}>
      <UnstyledButton className={classes.sort} onClick={onSort}>
        {column.own?.name ?? fixed[column.id]}
        <span aria-hidden>{sorted === false ? "" : sorted === "asc" ? " ↑" : " ↓"}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

interface CellProps {
  kind: Kind;
  column: TableColumn;
  row: Row;
  author?: Author; // undefined while it is not known yet
  under: string;
  search: ExplorerSearch;
  now: Date;
}

function Cell({ kind, column, row, author, under, search, now }: CellProps) {
  const t = useTexts();
  switch (column.own ? "" : column.id) {
    case "name":
      return (
        <td>
          <PageLink data-move to="/explorer" search={{ ...search, id: row.id }} title={row.id} size="sm">
            {shortName(row.id, under)}
          </PageLink>
        </td>
      );
    case "revision":
      return <td className={classes.numeric}>{row.revision}</td>;
    case "updated":
      return (
        <td>
          <When time={row.updated} />
        </td>
      );
    case "by": {
      const text = author === "" ? t("common.unknownUser") : (author ?? undefined);
      return (
        <td title={text} data-none={author === "" || undefined}>
          {text}
        </td>
      );
    }
    case "created":
      return (
        <td>
          <When time={row.created} />
        </td>
      );
    default:
  }
  if (!column.own) return null;
  const text = cellOf(column.own, maskValue("", row.document, kind.sensitive), now);
  if (kind.lifecycle && column.own.path === "status.lifecycle.state") {
    return (
      <td>
        <LifecycleBadge state={text === noValue ? kind.lifecycle.initial : text} />
      </td>
    );
  }
  return (
    <td className={column.numeric ? classes.numeric : undefined} data-none={text === noValue || undefined} title={text}>
      {text}
    </td>
  );
}
