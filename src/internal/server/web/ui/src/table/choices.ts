import type { Row } from "../api/queries";
import { valuesOf } from "../model/columns";
import { Digits } from "../model/exact";
import type { Kind } from "../model/kinds";
import { isObject } from "../model/paths";
import { dots, maskValue } from "../model/secrets";
import { escapeField } from "../model/selectors";

/** From how many rows selectors are offered. */
const most = 2_000;

/** The labels of the rows as selectors, those of most rows first. */
export function labelsOf(rows: Row[]): string[] {
  return byCount(rows.slice(0, most).flatMap(({ document }) => {
    const { labels } = (document.metadata ?? {}) as { labels?: unknown };
    return isObject(labels) ? Object.entries(labels).flatMap(([name, value]) => (typeof value === "string" ? [`${name}=${value}`] : [])) : [];
  }));
}

/** The values of the columns, and those right in the spec, as selectors, those of most rows first. */
export function fieldsOf(kind: Kind, rows: Row[]): string[] {
  return byCount(rows.slice(0, most).flatMap(({ document }) => {
    const shown = maskValue("", document, kind.sensitive) as Row["document"];
    const columns = (kind.columns ?? []).filter(({ path }) => /^[\w.-]+$/.test(path) && !path.startsWith("status."));
    const found = columns.flatMap((column) => valuesOf(column, shown).map((value): [string, unknown] => [column.path, value]));
    const spec = isObject(shown.spec) ? Object.entries(shown.spec).map(([name, value]): [string, unknown] => [/^[\w-]+$/.test(name) ? `spec.${name}` : "", value]) : [];
    return [...new Set([...found, ...spec].flatMap(([path, value]) => {
      const text = plain(value);
      return path === "" || text === undefined ? [] : [`${path}=${escapeField(text)}`];
    }))];
  }));
}

/** A value as a selector compares it; undefined of what it does not, and of secrets. */
function plain(value: unknown): string | undefined {
  if (value instanceof Digits) return value.text;
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== dots && value !== "" && value.length <= 100 ? value : undefined;
}

function byCount(selectors: string[]): string[] {
  const counts = new Map<string, number>();
  for (const selector of selectors) counts.set(selector, (counts.get(selector) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([selector]) => selector);
}
