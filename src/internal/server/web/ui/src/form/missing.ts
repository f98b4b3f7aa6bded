import { flatten, type JsonSchema } from "../model/jsonschema";
import type { Element } from "../model/ids";
import type { Model } from "../model/kinds";
import { isObject, locationsOf, pathText, type Path } from "../model/paths";
import { leastOf } from "../model/references";
import { targetOf, type Slot } from "../model/slots";

/** A required value that is absent or empty. */
export interface Missing {
  path: Path;
  least?: number; // how many references there must be, where that is more than one
}

/** What the schema and the slots require and the data does not have yet. */
export function missingIn(data: unknown, schema: JsonSchema, slots: Slot[], model: Model, own: Element[]): Missing[] {
  const found = new Map<string, Missing>();
  const add = (missing: Missing) => found.set(pathText(missing.path), missing);
  if (isEmpty(valueIn(data, ["metadata", "name"]), true)) add({ path: ["metadata", "name"] });
  for (const path of absent(data, schema, [])) add({ path });
  for (const slot of slots) {
    const least = leastOf(slot.reference);
    const ids = targetsOf(data, slot, model, own).flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (new Set(ids).size >= least) continue;
    const wild = slot.steps.findIndex((step) => step.each);
    const path = (wild < 0 ? slot.steps : slot.steps.slice(0, wild)).map(({ name }) => name);
    add(least > 1 ? { path, least } : { path });
  }
  return [...found.values()];
}

/** What stands at a slot, and the documents that it refers to. */
export function targetsOf(data: unknown, slot: Slot, model: Model, own: Element[]): { path: Path; id?: string }[] {
  const locations = locationsOf(data, slot.steps);
  if (!slot.names) return locations.map(({ path, value }) => ({ path, id: targetOf(model, slot, own, value) }));
  return locations.flatMap(({ path, value }) => (isObject(value) ? Object.keys(value) : []).map((name) => ({ path: [...path, name], id: targetOf(model, slot, own, name) })));
}

function absent(data: unknown, schema: JsonSchema | undefined, path: Path): Path[] {
  const flat = flatten(schema);
  if (Array.isArray(data)) return data.flatMap((item, i) => absent(item, flat.items, [...path, i]));
  if (!isObject(data)) return [];
  const missing = (flat.required ?? []).filter((name) => isEmpty(Object.hasOwn(data, name) ? data[name] : undefined)).map((name) => [...path, name]);
  const other = typeof flat.additionalProperties === "object" ? flat.additionalProperties : undefined;
  const inner = Object.entries(data).flatMap(([name, member]) => absent(member, flat.properties && Object.hasOwn(flat.properties, name) ? flat.properties[name] : other, [...path, name]));
  return [...missing, ...inner];
}

function isEmpty(value: unknown, there = false): boolean {
  return value === "" || (value === undefined && !there);
}

function valueIn(data: unknown, path: string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), data);
}
