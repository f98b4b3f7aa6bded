import type { PictureEdge, PictureNode } from "../graph/model";
import type { Constraint, Unsat } from "./queries";

/** A constraint as one line. */
export function lineOf(constraint: Constraint | undefined): string {
  return typeof constraint === "string" ? constraint : JSON.stringify(constraint ?? null);
}

/** What the id of a box begins with: it distinguishes constraints from packages. */
export const constraintPrefix = "constraint ";

/**
 * The picture of a clash: the constraints that cannot hold together, the packages where they meet, and what the
 * sources say of those. A fact that names no other package stands in the box of its own.
 */
export function clashPicture(unsat: Unsat, constraints: Constraint[]): { nodes: PictureNode[]; edges: PictureEdge[] } {
  const { core, packages, facts, noMatch } = unsat;
  const edges: PictureEdge[] = [];
  const alone = new Map<string, string[]>();
  for (const fact of facts) {
    const targets = packages.filter((name) => name !== fact.package && names(fact.text, name));
    if (targets.length === 0) alone.set(fact.package, [...(alone.get(fact.package) ?? []), fact.text]);
    for (const to of targets) edges.push({ from: fact.package, to, label: fact.text });
  }
  for (const index of core) {
    const text = lineOf(constraints[index]);
    for (const name of packages.filter((one) => names(text, one))) edges.push({ from: constraintPrefix + index, to: name, dashed: true });
  }
  const nodes = [
    ...core.map((index) => ({ id: constraintPrefix + index, title: lineOf(constraints[index]), note: noMatch.find((none) => none.constraint === index)?.stage ?? `[${index}]`, main: true })),
    ...packages.map((name) => ({ id: name, title: name, note: alone.get(name)?.join("; ") ?? "" })),
  ];
  return { nodes, edges };
}

/** Whether a text names a package, as a word of its own. */
function names(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w./-])${escaped}(?![\\w./-])`, "u").test(text);
}

/** The indexes that an address has, those of constraints that there are, in order. */
export function indexesOf(text: string, count: number): number[] {
  const all = text.split(",").filter((part) => /^\d+$/.test(part)).map(Number);
  return [...new Set(all)].filter((index) => index < count).sort((a, b) => a - b);
}
