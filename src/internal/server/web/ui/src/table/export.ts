import { Document, type ScalarTag } from "yaml";
import type { Row } from "../api/queries";
import { Digits, writeExact } from "../model/exact";
import { valuesOf, type Column } from "../model/columns";
import { parseId } from "../model/ids";
import type { Kind } from "../model/kinds";
import { maskValue } from "../model/secrets";

/** The rows as CSV (RFC 4180), with all columns of the kind and others that are shown. Secrets are dots. */
export function csvOf(kind: Kind, rows: Row[], others: Column[] = []): string {
  const columns = [...(kind.columns ?? []), ...others];
  const lines = rows.map((row) => {
    const document = maskValue("", row.document, kind.sensitive);
    const cells = columns.map((column) => valuesOf(column, document).map((value) => (typeof value === "string" ? value : writeExact(value))).join(","));
    return [row.id, ...cells, String(row.revision), row.updated, row.created];
  });
  return [["id", ...columns.map(({ name }) => name), "revision", "updated", "created"], ...lines].map((cells) => `${cells.map(cellText).join(",")}\r\n`).join("");
}

/** A cell. One that a spreadsheet would take for a formula begins with an apostrophe. */
function cellText(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as manifests, which `dovetail apply` takes, with all digits of their numbers. */
export function yamlOf(kind: Kind, rows: Row[]): string {
  return rows.map((row) => {
    const { status: _, ...data } = row.document;
    const key = Object.fromEntries((parseId(row.id) ?? []).map(({ name, value }) => [name, value]));
    return new Document({ kind: kind.name, key, data }, { customTags: (tags) => [digits, ...tags] }).toString({ lineWidth: 0, indentSeq: false });
  }).join("---\n");
}

/** Writes numbers as they were read. */
const digits: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => value instanceof Digits,
  resolve: (text) => new Digits(text),
  stringify: ({ value }) => (value instanceof Digits ? value.text : String(value)),
};
