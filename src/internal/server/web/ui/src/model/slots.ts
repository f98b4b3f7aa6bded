import { formatId, parseId, type Element } from "./ids";
import { flatten, typesOf, type JsonSchema } from "./jsonschema";
import type { Kind, Model } from "./kinds";
import { isObject, leadTo, stepsOf, type Path, type Step } from "./paths";
import { leastOf, type Reference } from "./references";

/** Where in the data the references of a rule with `at` stand. */
export interface Slot {
  reference: Reference;
  steps: Step[]; // to the values that name a target, or to the map whose member names do
  names: boolean; // the names of members are the last elements
}

/** The slots of rules; those without `at` have none. */
export function slotsOf(references: Reference[] = []): Slot[] {
  return references.flatMap((reference) => {
    if (reference.at === undefined) return [];
    const steps = stepsOf(reference.at);
    const names = steps.at(-1)?.each === "members";
    return [{ reference, steps: names ? steps.slice(0, -1) : steps, names }];
  });
}

/** The slots whose value, or whose map of names, is at a path. */
export function slotsAt(slots: Slot[], path: Path, names = false): Slot[] {
  return slots.filter((slot) => slot.names === names && leadTo(slot.steps, path));
}

/** A JSON Schema that also has the members that lead to slots, so that a form shows them. Those that it does not name come first. */
export function withSlots(schema: JsonSchema | undefined, slots: Slot[]): JsonSchema {
  return slots.toReversed().reduce<JsonSchema>((all, slot) => {
    const wild = slot.steps.findIndex((step) => step.each);
    return withMember(all, slot, 0, leastOf(slot.reference) > 0 ? (wild < 0 ? slot.steps.length : wild) - 1 : -1);
  }, flatten(schema));
}

/** required is the step whose member there has to be; -1 for none. */
function withMember(schema: JsonSchema | undefined, slot: Slot, at: number, required: number): JsonSchema {
  const flat = flatten(schema);
  const step = slot.steps[at];
  if (!step) return slot.names ? { ...flat, type: flat.type ?? "object" } : flat;
  if (step.each === "items" && !typesOf(flat).includes("object")) {
    return { ...flat, type: flat.type ?? "array", items: withMember(flat.items, slot, at + 1, required) };
  }
  if (step.each) {
    const other = typeof flat.additionalProperties === "object" ? flat.additionalProperties : undefined;
    return { ...flat, type: flat.type ?? "object", additionalProperties: withMember(other, slot, at + 1, required) };
  }
  const known = flat.properties ?? {};
  const member = withMember(Object.hasOwn(known, step.name) ? known[step.name] : undefined, slot, at + 1, required);
  const properties = Object.hasOwn(known, step.name) ? { ...known, [step.name]: member } : { [step.name]: member, ...known };
  return { ...flat, type: flat.type ?? "object", properties, required: at === required ? [...new Set([step.name, ...(flat.required ?? [])])] : flat.required };
}

/** An element of a target's key as far as it is known, and what says so. */
export interface KnownElement {
  name: string;
  value?: string;
  from?: "rule" | "data" | "own"; // "own": the document's own key, in place of which the data can say another one
}

/** What is known of the key of a target, from what stands at the slot, the rule, and the own key of the document. */
export function knownElements(slot: Slot, target: Kind, own: Element[], value: unknown): KnownElement[] {
  const { fixed = {}, common = [] } = slot.reference;
  const last = target.key.length - 1;
  return target.key.map((name, i) => {
    const ownValue = own.find((element) => element.name === name)?.value;
    if (Object.hasOwn(fixed, name)) return { name, value: fixed[name], from: "rule" };
    if (common.includes(name) && ownValue !== undefined) return { name, value: ownValue, from: "rule" };
    const given = isObject(value) ? value[memberOf(slot, name)] : i === last ? value : undefined;
    if (typeof given === "string" && given !== "") return { name, value: given, from: "data" };
    if (i < last && ownValue !== undefined) return { name, value: ownValue, from: "own" };
    return { name };
  });
}

/** The member that holds an element. */
export function memberOf({ reference }: Slot, element: string): string {
  return reference.map && Object.hasOwn(reference.map, element) ? (reference.map[element] ?? element) : element;
}

/** The id of the document that a value at a slot refers to; undefined while it is not complete, or where it is no reference. */
export function targetOf(model: Model, slot: Slot, own: Element[], value: unknown): string | undefined {
  for (const name of slot.reference.to) {
    const target = model.kind(name);
    const id = target && idOf(knownElements(slot, target, own, value));
    if (id !== undefined && !slot.reference.except?.includes(parseId(id)?.at(-1)?.value ?? "")) return id;
  }
  return undefined;
}

function idOf(known: KnownElement[]): string | undefined {
  const elements = known.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
  return elements.length === known.length ? formatId(elements) : undefined;
}

/** Takes away what the own key says of the last n elements that only it says. */
export function widened(known: KnownElement[], n: number): KnownElement[] {
  const own = known.flatMap(({ from }, i) => (from === "own" ? [i] : []));
  const dropped = new Set(own.slice(Math.max(0, own.length - n)));
  return known.map((element, i) => (dropped.has(i) ? { name: element.name } : element));
}

/** The id of the document nearest to the targets that all of them are below, and that a text as `r1/leaf1/` leads on from; "" for none. */
export function scopeOf(model: Model, known: KnownElement[], text = ""): string {
  const typed = text.split("/").slice(0, -1);
  const elements: Element[] = [];
  let scope = "";
  for (const { name, value = typed.shift() } of known) {
    if (value === undefined || value === "") break;
    elements.push({ name, value });
    const id = formatId(elements);
    if (model.kindOf(id)) scope = id;
  }
  return scope;
}

/** Whether an id has the elements that are known. */
export function fits(known: KnownElement[], id: string): boolean {
  const elements = parseId(id) ?? [];
  return known.every(({ value }, i) => value === undefined || value === elements[i]?.value);
}

/** A change of a document: a value is put at a path, or with undefined removed from it. */
export interface Change {
  path: Path;
  value: unknown;
}

/**
 * What to write so that the value at a path refers to a document. Elements that the rule or the own key gives are left out where
 * the value does not have them. Members that the slot does not use stay, as do those that other slots at the path use.
 */
export function referTo(slot: Slot, target: Kind, own: Element[], id: string, at: Path, value: unknown, schema?: JsonSchema): Change[] {
  const picked = parseId(id) ?? [];
  const known = knownElements(slot, target, own, undefined);
  const needed = known.flatMap(({ name, value: given, from }, i) => {
    const chosen = picked[i]?.value;
    const member = memberOf(slot, name);
    const said = isObject(value) && Object.hasOwn(value, member);
    return from === "rule" || (from === "own" && given === chosen && !said) ? [] : [{ member, value: chosen, last: i === known.length - 1 }];
  });
  if (isObject(value)) return needed.map(({ member, value: chosen }) => ({ path: [...at, member], value: chosen }));
  const types = typesOf(schema);
  const asText = types.includes("string") || (types.length === 0 && !schema?.properties);
  const [only] = needed;
  if (asText && needed.length === 1 && only?.last) return [{ path: at, value: only.value }];
  return [{ path: at, value: Object.fromEntries(needed.map(({ member, value: chosen }) => [member, chosen])) }];
}

/** What to write so that the value at a path no longer refers to anything by a slot. Members that others of the slots there use stay. */
export function unrefer(model: Model, slot: Slot, others: Slot[], at: Path, value: unknown): Change[] {
  if (!isObject(value)) return [{ path: at, value: undefined }];
  const kept = new Set(others.filter((other) => other !== slot).flatMap((other) => membersOf(model, other)));
  const gone = membersOf(model, slot).filter((name) => !kept.has(name) && Object.hasOwn(value, name));
  if (gone.length === Object.keys(value).length) return [{ path: at, value: undefined }];
  return gone.map((name) => ({ path: [...at, name], value: undefined }));
}

/** The members that a slot looks for in an object. */
export function membersOf(model: Model, slot: Slot): string[] {
  const elements = slot.reference.to.flatMap((name) => model.kind(name)?.key ?? []);
  return [...new Set(elements.map((element) => memberOf(slot, element)))];
}
