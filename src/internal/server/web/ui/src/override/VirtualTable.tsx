import { Box, Table, Text } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, useEffect, useRef, type ReactNode } from "react";
import classes from "./VirtualTable.module.css";

/** A column of a table. */
export interface Column {
  name: string;
  width?: string;
}

interface Props<Row> {
  label: string;
  columns: Column[];
  rows: Row[];
  keyOf: (row: Row) => string;
  changeOf: (row: Row) => string;
  empty: string; // said where there are no rows
  shown?: string; // the key of a row that is scrolled to
  renderCells: (row: Row) => ReactNode; // its cells, as Cell
}

/** The height of a row until it is measured, in pixels. */
const height = 32;

/** A table of thousands of rows, of which those near the window are drawn. Rows are as high as what they show; where there is little room each is a block. */
export function VirtualTable<Row>({ label, columns, rows, keyOf, changeOf, empty, shown, renderCells }: Props<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const keyAt = (index: number) => {
    const row = rows[index];
    return row === undefined ? index : keyOf(row);
  };
  // oxlint-disable-next-line react/incompatible-library -- the compiler that it warns of is not used
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 12, getItemKey: keyAt });
  const at = shown === undefined ? -1 : rows.findIndex((row) => keyOf(row) === shown);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the virtualizer is another one at each drawing
  }, [at]);
  const drawn = virtual.getVirtualItems();
  const before = drawn[0]?.start ?? 0;
  const after = Math.max(0, virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0));
  return (
    <Box ref={scroller} className={classes.scroller} tabIndex={0} role="group" aria-label={label}>
      <Table role="table" className={classes.table} verticalSpacing={3} horizontalSpacing={8} aria-label={label} aria-rowcount={rows.length + 1}>
        <colgroup>{columns.map(({ name, width }) => <col key={name} style={{ width }} />)}</colgroup>
        <Table.Thead role="rowgroup" className={classes.head}>
          <Table.Tr role="row" aria-rowindex={1}>
            {columns.map(({ name }) => <Table.Th role="columnheader" key={name}>{name}</Table.Th>)}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.length === 0 && <Table.Tr role="row"><Table.Td role="cell" colSpan={columns.length}><Text size="sm">{empty}</Text></Table.Td></Table.Tr>}
          {before > 0 && <tr aria-hidden style={{ height: before }} className={classes.space} />}
          {drawn.map(({ index, key }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <Table.Tr role="row" key={String(key)} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2} data-change={changeOf(row)}>
                {renderCells(row)}
              </Table.Tr>
            );
          })}
          {after > 0 && <tr aria-hidden style={{ height: after }} className={classes.space} />}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

/** A cell, which where there is little room says of what column it is. */
export function Cell({ column, span, children }: { column: string; span?: number; children?: ReactNode }) {
  return <Table.Td role="cell" colSpan={span} data-column={column}>{children}</Table.Td>;
}

/** A text that breaks where names and values have their joints, before it breaks within a word. */
export function Breakable({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(?<=[/._,;:=&?-])(?=.)/u).map((part, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts have no other names
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
