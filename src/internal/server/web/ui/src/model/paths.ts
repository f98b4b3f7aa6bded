/** Members and indexes from the top of a document. */
export type Path = (string | number)[];

/** One step of a path: the member of a name, or every item or member. */
export interface Step {
  name: string; // "" for every one
  each?: "items" | "members";
}

/** Reads a path as the server writes it: `spec.ports[*].name`, `spec["a.b"]`, `spec.intent.*`. */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, quoted, items, plain] of path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|(\[\*\])|\.?([^.[]+)/gu)) {
    if (quoted !== undefined) steps.push({ name: quoted.replace(/\\(.)/g, "$1") });
    else if (items !== undefined) steps.push({ name: "", each: "items" });
    else if (plain === "*") steps.push({ name: "", each: "members" });
    else steps.push({ name: plain ?? "" });
  }
  return steps;
}

/** The values that a path leads to, in their order. What is absent or null is left out. */
export function valuesAt(data: unknown, steps: Step[]): unknown[] {
  return locationsOf(data, steps).map(({ value }) => value);
}

/** A value and where it stands. */
export interface Location {
  path: Path;
  value: unknown;
}

/** The locations that a path leads to, in their order: [*] to the items of a list or the values of a map, .* to the members of a map. */
export function locationsOf(data: unknown, steps: Step[], path: Path = []): Location[] {
  if (data === undefined || data === null) return [];
  const [step, ...rest] = steps;
  if (!step) return [{ path, value: data }];
  if (Array.isArray(data)) return step.each === "items" ? data.flatMap((item, i) => locationsOf(item, rest, [...path, i])) : [];
  if (!isObject(data)) return [];
  if (step.each) return Object.entries(data).flatMap(([name, member]) => locationsOf(member, rest, [...path, name]));
  return Object.hasOwn(data, step.name) ? locationsOf(data[step.name], rest, [...path, step.name]) : [];
}

/** Whether steps lead to a path itself. */
export function leadTo(steps: Step[], path: Path): boolean {
  return steps.length === path.length && leadInto(steps, path);
}

/** Whether steps lead to a path, or to something that it is in. */
export function leadInto(steps: Step[], path: Path): boolean {
  return steps.length <= path.length && steps.every((step, i) => (step.each ? step.each === "items" || typeof path[i] === "string" : step.name === path[i]));
}

/** Reads a JSON Pointer. */
export function fromPointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Writes a path as people read it: `spec.ports[0].name`. */
export function pathText(path: Path): string {
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i > 0 ? "." : ""}${step}`)).join("");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
