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
  if (data === undefined || data === null) return [];
  const [step, ...rest] = steps;
  if (!step) return [data];
  if (Array.isArray(data)) return step.each === "items" ? data.flatMap((item) => valuesAt(item, rest)) : [];
  if (!isObject(data)) return [];
  if (step.each) return Object.values(data).flatMap((member) => valuesAt(member, rest));
  return Object.hasOwn(data, step.name) ? valuesAt(data[step.name], rest) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
