import { parseDocument, type ScalarTag } from "yaml";
import type { Row } from "../api/queries";
import { Digits } from "../model/exact";
import { fieldsOf as fieldsOfSchema, schemaAt, typesOf } from "../model/jsonschema";
import type { Kind } from "../model/kinds";
import { isObject, stepsOf, valuesAt, type Step } from "../model/paths";
import { maskValue } from "../model/secrets";

/** One field of many documents, and what it gets. */
export interface FieldEdit {
  path: string; // as `spec.size` or `metadata.annotations["example.com/owner"]`
  text: string; // of the value: YAML, or just the text where the schema wants one
  remove: boolean;
}

/** Why an edit cannot be one; "" where nothing is written yet. */
export type Fault = "" | "list" | "forbidden" | "inside" | "noValue" | "yaml";

/** The change that edits are, as a merge patch; or which of them is at fault. */
export type Patch = { data: Record<string, unknown> } | { fault: Fault; at: number };

/** What no edit sets: the name is part of the identity of a document, the status is its service's. */
const forbidden = [["metadata", "name"], ["status"]];

/** Writes edits as one merge patch. */
export function patchOf(kind: Kind, edits: FieldEdit[]): Patch {
  const data: Record<string, unknown> = {};
  const taken: string[][] = [];
  for (const [at, edit] of edits.entries()) {
    const steps = stepsOf(edit.path.trim());
    if (steps.length === 0 || steps.some(({ name, each }) => each === undefined && name === "")) return { fault: "", at };
    if (steps.some(({ each }) => each !== undefined) || /\[\d+\]/.test(edit.path)) return { fault: "list", at };
    const names = steps.map(({ name }) => name);
    if (forbidden.some((path) => path.every((name, i) => names[i] === name)) || names.join(".") === "metadata") return { fault: "forbidden", at };
    if (taken.some((other) => Array.from({ length: Math.min(other.length, names.length) }).every((_, i) => other[i] === names[i]))) return { fault: "inside", at };
    taken.push(names);
    const value = edit.remove ? null : valueOf(kind, names, edit.text);
    if (value === undefined) return { fault: edit.text.trim() === "" ? "noValue" : "yaml", at };
    put(data, names, value);
  }
  return { data };
}

/** The value that a text means for a field, with all digits of its numbers; undefined where it means none. */
function valueOf(kind: Kind, path: string[], text: string): unknown {
  const types = typesOf(schemaAt(kind.schema, path));
  if (types.length === 1 && types[0] === "string") return text;
  const document = parseDocument(text, { customTags: (tags) => [digits, ...tags] });
  if (document.errors.length > 0 || document.contents === null) return undefined;
  const value: unknown = document.toJS();
  return value === null ? undefined : value;
}

/** Reads numbers as they are written. */
const digits: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/,
  resolve: (text) => new Digits(text),
};

function put(data: Record<string, unknown>, [name = "", ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    set(data, name, value);
    return;
  }
  const inner = Object.hasOwn(data, name) && isObject(data[name]) ? data[name] : {};
  put(inner, rest, value);
  set(data, name, inner);
}

/** Sets a member whatever it is called, also `__proto__`. */
function set(data: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(data, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The fields that are offered: those of the schema, and those that documents have. */
export function pathsOf(kind: Kind, rows: Row[]): string[] {
  const known = fieldsOfSchema(kind.schema).map(({ path }) => path).filter((path) => !path.includes("[]"));
  const there = rows.slice(0, mostRead).flatMap(({ document }) => ["metadata", "spec"].flatMap((top) => leavesOf(document[top], top)));
  const spec = known.filter((path) => path.startsWith("spec."));
  return [...new Set([...spec, ...there, ...known])].filter((path) => path !== "spec" && "data" in patchOf(kind, [{ path, text: "", remove: true }]));
}

/** From how many rows fields are offered. */
const mostRead = 200;

function leavesOf(value: unknown, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, path + (/^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)));
}

/** What a field has in a document before the edit, with dots for secrets; undefined is absent. */
export function valueBefore(kind: Kind, row: Row, path: string): unknown {
  const steps: Step[] = stepsOf(path);
  const [value] = valuesAt(maskValue("", row.document, kind.sensitive), steps);
  return value;
}

/** The values that a schema allows for a field, and those that documents have, the most frequent first. */
export function offersOf(kind: Kind, rows: Row[], path: string): string[] {
  const counts = new Map<string, number>();
  for (const row of rows.slice(0, mostRead)) {
    const value = valueBefore(kind, row, path);
    if (typeof value === "string" || typeof value === "boolean" || value instanceof Digits) {
      const text = value instanceof Digits ? value.text : String(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const allowed = schemaAt(kind.schema, stepsOf(path).map(({ name }) => name))?.enum ?? [];
  const seen = [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text).filter((text) => !text.includes(dot));
  return [...new Set([...allowed.map(String), ...seen])];
}

const dot = "•";
