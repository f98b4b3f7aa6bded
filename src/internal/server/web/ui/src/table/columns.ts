import type { ExplorerSearch } from "../addresses";
import type { Row } from "../api/queries";
import { Digits } from "../model/exact";
import { valuesOf, type Column } from "../model/columns";
import type { Kind } from "../model/kinds";
import { shortName } from "../model/ids";
import { maskValue } from "../model/secrets";

/** A column of the table: one of the ref-schema, or one of those that every document has. */
export interface TableColumn {
  id: string; // in the address
  own?: Column;
  wide: boolean;
  numeric: boolean;
  unsorted?: boolean; // what it shows is known of the rows in view alone
  /** What the rows are sorted by; undefined, which comes last, where there is nothing. */
  sortKey: (row: Row) => string | number | undefined;
}

/** The columns that every document has. */
export const fixed = ["name", "revision", "updated", "by", "created"] as const;

export type Fixed = (typeof fixed)[number];

/** All columns of the documents of a kind, those of the ref-schema after the name. Without any, when the documents were written; by whom where the server knows that. */
export function columnsOf(kind: Kind, under: string, authors = false): TableColumn[] {
  const own = kind.columns ?? [];
  const taken = new Set<string>(fixed);
  return [
    { id: "name", wide: false, numeric: false, sortKey: (row) => shortName(row.id, under) },
    ...own.map((column): TableColumn => ({
      id: taken.has(column.name) ? `column.${column.name}` : column.name,
      own: column,
      wide: column.wide ?? false,
      numeric: column.type === "integer" || column.type === "number",
      sortKey: (row) => keyOf(kind, column, row),
    })),
    { id: "revision", wide: own.length > 0, numeric: true, sortKey: (row) => row.revision },
    { id: "updated", wide: own.length > 0, numeric: false, sortKey: (row) => Date.parse(row.updated) },
    ...(authors ? [{ id: "by", wide: own.length > 0, numeric: false, unsorted: true, sortKey: () => undefined }] : []),
    { id: "created", wide: true, numeric: false, sortKey: (row) => Date.parse(row.created) },
  ];
}

/** The columns that are shown: those that the address names, else those that are not wide, or with wide all. */
export function shownColumns(kind: Kind, known: TableColumn[], { columns, wide }: Pick<ExplorerSearch, "columns" | "wide">): TableColumn[] {
  const named = namesIn(columns);
  if (named.length === 0) return known.filter((column) => wide === "true" || !column.wide);
  const chosen = named.map((id) => known.find((column) => column.id === id) ?? pathColumn(kind, id));
  return chosen.some(({ id }) => id === "name") ? chosen : [...known.filter(({ id }) => id === "name"), ...chosen];
}

/** The names that an address has of columns, each once. Commas in a path are in quotes. */
export function namesIn(columns: string | undefined): string[] {
  const names = (columns ?? "").match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}

/** A column of what is at a path, as text. */
function pathColumn(kind: Kind, path: string): TableColumn {
  const own: Column = { name: path, path, type: "string" };
  return { id: path, own, wide: false, numeric: false, sortKey: (row) => keyOf(kind, own, row) };
}

function keyOf(kind: Kind, column: Column, row: Row): string | number | undefined {
  const [first] = valuesOf(column, maskValue("", row.document, kind.sensitive));
  if (first === undefined || first === null) return undefined;
  if (first instanceof Digits) return Number(first.text);
  if (typeof first !== "string") return String(first);
  const time = column.type === "date" ? Date.parse(first) : Number.NaN;
  return Number.isNaN(time) ? first : time;
}

/** How two keys are sorted: numbers in texts by their values, so that n-2 comes before n-10. */
export function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

const collator = new Intl.Collator("en", { numeric: true });

/** Reads from an address by what the rows are sorted: a column, with a hyphen before it the other way round. Unknown ones are left out. */
export function sortingOf(text: string | undefined, columns: TableColumn[]): { id: string; desc: boolean }[] {
  if (text === undefined) return [];
  const known = (id: string) => columns.some((column) => column.id === id && !column.unsorted);
  if (known(text)) return [{ id: text, desc: false }];
  return text.startsWith("-") && known(text.slice(1)) ? [{ id: text.slice(1), desc: true }] : [];
}

/** Writes it for an address. */
export function sortText([first]: { id: string; desc: boolean }[]): string | undefined {
  return first && (first.desc ? `-${first.id}` : first.id);
}
