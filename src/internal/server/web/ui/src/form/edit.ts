import { isMap, isSeq, type Document } from "yaml";
import { leadInto, stepsOf, type Path, type Step } from "../model/paths";
import type { Element } from "../model/ids";
import { schemaAt } from "../model/jsonschema";
import type { Kind, Model } from "../model/kinds";
import type { Change, Slot } from "../model/slots";
import { fieldKey, type Fault } from "./faults";
import { namesIn } from "./fields";

/** What the fields of a form share. */
export interface Edit {
  document: Document;
  model: Model;
  slots: Slot[];
  own: Element[]; // the key of the document, or of what it will be below
  defaults: boolean; // absent values get the defaults of the schema when they are written
  locked: Lock;
  closed: (path: Path) => boolean; // the object there takes no other members
  faults: Map<string, Fault[]>;
  apply: (changes: Change[]) => void;
}

/** Says why the value at a path cannot be changed, "" where that is said elsewhere; undefined where it can. */
export type Lock = (path: Path) => string | undefined;

/** Says where a kind takes no members but those of its fields. */
export function closedBy({ strict, schema, references = [] }: Pick<Kind, "strict" | "schema" | "references">): Edit["closed"] {
  return (path) => {
    const { properties, additionalProperties, patternProperties } = schemaAt(schema, path) ?? {};
    if (additionalProperties === false) return true;
    if (!strict || path[0] === "metadata" || references.some(({ at }) => at === undefined)) return false;
    return path.length === 0 || (properties !== undefined && additionalProperties === undefined && patternProperties === undefined);
  };
}

/** Locks the values at paths as a ref-schema writes them, and what is in them. */
export function lockOf(paths: string[], reason: string): Lock {
  const all: Step[][] = paths.map(stepsOf);
  return (path) => (all.some((steps) => leadInto(steps, path)) ? reason : undefined);
}

/** Whether something in the value at a path is locked, so that it cannot be removed. */
export function holdsLocked(document: Document, path: Path, locked: Lock): boolean {
  return nodeHoldsLocked(document.getIn(path, true), path, locked);
}

function nodeHoldsLocked(node: unknown, path: Path, locked: Lock): boolean {
  if (locked(path) !== undefined) return true;
  if (isSeq(node)) return node.items.some((item, i) => nodeHoldsLocked(item, [...path, i], locked));
  return isMap(node) && namesIn(node).some((name, i) => nodeHoldsLocked(node.items[i]?.value, [...path, name], locked));
}

/** Makes changes of a document. */
export function change(document: Document, changes: Change[]): void {
  for (const { path, value } of changes) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
}

/** What is wrong with the value at a path. */
export function faultsAt({ faults }: Edit, path: Path): Fault[] {
  return faults.get(fieldKey(path)) ?? [];
}
