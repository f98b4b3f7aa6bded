import { isMap, isSeq, type Document } from "yaml";
import type { Problem } from "../api/problem";
import { flatten, type JsonSchema } from "../model/jsonschema";
import { fromPointer, type Path } from "../model/paths";
import { slotsAt, type Slot } from "../model/slots";
import { membersOf } from "./fields";

/** One thing that the server refuses, and where. */
export interface Fault {
  path: string[];
  message: string;
  remedy?: string;
  reason?: string;
  blockedBy: string[]; // documents that are in the way, as far as one may know them
  missing: string[];
}

/** What the server refuses. */
export function faultsOf(problem: Problem | undefined): Fault[] {
  if (!problem) return [];
  const parts = problem.errors?.length ? problem.errors : [{ ...problem, message: problem.detail, path: "" }];
  return parts.map(({ path = "", message, remedy, reason, blockedBy, missing }) => ({
    path: fromPointer(path), message, remedy, reason, blockedBy: blockedBy?.ids ?? [], missing: missing ?? [],
  }));
}

/** Faults by the key of the field that shows them, and those of no field. */
export interface Assigned {
  fields: Map<string, Fault[]>;
  rest: Fault[];
}

/** The key of a field. */
export function fieldKey(path: Path): string {
  return JSON.stringify(path);
}

/** A field that refers to a document. */
interface Target {
  path: Path;
  id: string;
}

/** Gives each fault to the field that it is about: those whose documents are missing, else the innermost one at its path. */
export function assign(faults: Fault[], document: Document, schema: JsonSchema, slots: Slot[], targets: Target[]): Assigned {
  const fields = new Map<string, Fault[]>();
  const rest: Fault[] = [];
  for (const fault of faults) {
    const misses = targets.filter(({ id }) => fault.missing.includes(id)).map(({ path }) => path);
    const innermost = fieldAt(document, schema, slots, fault.path);
    const paths = misses.length > 0 ? misses : innermost.length > 0 ? [innermost] : [];
    for (const key of new Set(paths.map(fieldKey))) fields.set(key, [...(fields.get(key) ?? []), fault]);
    if (paths.length === 0) rest.push(fault);
  }
  return { fields, rest };
}

/** The path of the innermost field of a form that a path leads to or into; empty where it leads to none. */
function fieldAt(document: Document, schema: JsonSchema, slots: Slot[], path: string[]): Path {
  const at: Path = [];
  let inner: JsonSchema = flatten(schema);
  for (const step of path) {
    if (slotsAt(slots, at).length > 0) return at;
    const node = at.length === 0 ? document.contents : document.getIn(at, true);
    if (isSeq(node)) {
      if (!(Number(step) < node.items.length)) return at;
      at.push(Number(step));
      inner = flatten(inner.items);
      continue;
    }
    const member = isMap(node) || node === undefined || node === null ? membersOf(node, inner).find(({ name }) => name === step) : undefined;
    if (!member) return at;
    at.push(step);
    inner = flatten(member.schema);
  }
  return at;
}
