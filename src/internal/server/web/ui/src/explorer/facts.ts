import { Digits, writeExact } from "../model/exact";
import { valuesOf, cellOf, noValue, type Column } from "../model/columns";
import { parseId } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { isObject } from "../model/paths";
import { maskValue } from "../model/secrets";

/** What the overview says of a value. */
export interface Fact {
  name: string;
  text?: string;
  members?: number; // of a list or a map, which is not written out
}

/** How many characters of a value are shown. */
const maxText = 300;

/** The facts of a document, which was read by parseExact: the columns of its kind, and then what else is right below its spec. Secrets are dots. */
export function factsOf(kind: Kind, document: unknown, now: Date): Fact[] {
  const masked = maskValue("", document, kind.sensitive);
  const columns = (kind.columns ?? []).flatMap((column): Fact[] => {
    const text = cellOf(column, masked, now);
    return text === noValue ? [] : [{ name: column.name, text }];
  });
  const spec = isObject(masked) && isObject(masked.spec) ? masked.spec : {};
  const rest = Object.entries(spec).filter(([name, value]) => value !== null && !isColumn(kind.columns ?? [], name, spec));
  return [...columns, ...rest.map(([name, value]) => factOf(name, value))];
}

/** Whether a column shows a member of the spec, and nothing of it is left. */
function isColumn(columns: Column[], name: string, spec: Record<string, unknown>): boolean {
  return columns.some((column) => column.path === `spec.${name}` && valuesOf(column, { spec }).length > 0);
}

function factOf(name: string, value: unknown): Fact {
  if (Array.isArray(value)) return { name, members: value.length };
  if (isObject(value) && !(value instanceof Digits)) return { name, members: Object.keys(value).length };
  const text = [...(typeof value === "string" ? value : writeExact(value))];
  return { name, text: text.length > maxText ? `${text.slice(0, maxText - 1).join("")}…` : text.join("") };
}

/** Names that kubectl takes as they are; others are written differently there. */
const plain = /^[A-Za-z0-9_.@-]+$/;

/** A text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The ways to a document without a browser, as commands. */
export function commandsOf(model: Model, kind: Kind, id: string, path: string, server: string): { program: string; command: string }[] {
  const all = [
    { program: "curl", command: `curl -H "Authorization: Bearer $DOVETAIL_TOKEN" ${quoted(server + path)}` },
    { program: "dovetail", command: `dovetail get ${quoted(id)} -o yaml --server ${server}` },
  ];
  const values = (parseId(id) ?? []).map(({ value }) => value);
  const own = values.at(-1);
  const elements = kind.key.length - (model.kind(kind.parent ?? "")?.key.length ?? 0);
  if (own === undefined || kind.service === undefined || kind.managed || elements !== 1 || !values.every((value) => plain.test(value))) return all;
  const namespace = values.slice(0, -1).join(":");
  return [...all, { program: "kubectl", command: `kubectl get ${kind.name.toLowerCase()}.${kind.service}.dovetail.dev ${own}${namespace === "" ? "" : ` -n ${namespace}`} -o yaml` }];
}
