import { Digits, writeExact } from "./exact";
import { stepsOf, valuesAt } from "./paths";

/** A column of the lists of a kind, as the ref-schema names it. */
export interface Column {
  name: string;
  path: string; // into the data, or below `status`
  type: "string" | "integer" | "number" | "boolean" | "date";
  wide?: boolean;
}

/** What a column shows instead of a value, as `dovetail get` does: there is none, or it is not of the type. */
export const noValue = "<none>";
const invalid = "<invalid>";

/** How many characters of a value are shown. */
const maxCell = 100;

/** What a column shows of a document, which was read by parseExact: its data, with the status as a member. */
export function cellOf(column: Column, document: unknown, now: Date): string {
  const texts = valuesOf(column, document).map((value) => textOf(column, value, now));
  if (texts.length === 0) return noValue;
  const text = [...texts.join(",").replace(/[^\P{C}]|[\p{Zl}\p{Zp}]/gu, " ")];
  return text.length > maxCell ? `${text.slice(0, maxCell - 1).join("")}…` : text.join("");
}

/** The values of a column in a document; lists are the values in them. */
export function valuesOf(column: Column, document: unknown): unknown[] {
  return valuesAt(document, stepsOf(column.path)).flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]));
}

function textOf({ type }: Column, value: unknown, now: Date): string {
  if (value === null) return noValue;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : writeExact(value);
    case "boolean":
      return typeof value === "boolean" ? String(value) : invalid;
    case "date":
      return typeof value === "string" && isDate.test(value) && !Number.isNaN(Date.parse(value)) ? age((now.getTime() - Date.parse(value)) / 1000) : invalid;
    default:
      return value instanceof Digits && (type === "number" || !/[.eE]/.test(value.text)) ? value.text : invalid;
  }
}

const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A time as `dovetail get` writes it: in at most two units. One to come begins with "in". */
export function age(seconds: number): string {
  if (seconds < 0) return `in ${age(-seconds)}`;
  const [s, m, h] = [Math.trunc(seconds), Math.trunc(seconds / 60), Math.trunc(seconds / 3600)];
  const [day, year] = [24, 24 * 365];
  if (s < 120) return units(s, "s");
  if (m < 10) return units(m, "m", s % 60, "s");
  if (m < 180) return units(m, "m");
  if (h < 8) return units(h, "h", m % 60, "m");
  if (h < 2 * day) return units(h, "h");
  if (h < 8 * day) return units(h / day, "d", h % day, "h");
  if (h < 2 * year) return units(h / day, "d");
  if (h < 8 * year) return units(h / year, "y", (h % year) / day, "d");
  return units(h / year, "y");
}

function units(n: number, unit: string, more = 0, second = ""): string {
  return `${Math.trunc(n)}${unit}${Math.trunc(more) > 0 ? Math.trunc(more) + second : ""}`;
}
