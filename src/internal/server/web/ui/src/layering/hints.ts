import { isMap, isNode, isScalar, isSeq, type Node, type Pair } from "yaml";
import type { Hint } from "../yaml/hints";
import { readYaml } from "../yaml/merge";
import type { ValueOrigin } from "./queries";

/** A member of a path as the server writes it. */
export function memberOf(name: string): string {
  return /^[\w-]+$/.test(name) ? `.${name}` : `.'${name.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

/** Hints for the values of a rendered document: each stands for the member with its value. Of values with an origin alone. */
export function hintsOf(rendered: string, values: ValueOrigin[], linesOf: (value: ValueOrigin) => string[]): Hint[] {
  const origins = new Map(values.map((value) => [value.path, value]));
  const hints: Hint[] = [];
  const add = (path: string, from: number, to: number) => {
    const origin = origins.get(path === "" ? "." : path);
    if (origin) hints.push({ from, to, lines: linesOf(origin) });
  };
  const visit = (path: string, node: unknown, from?: number) => {
    if (!isNode(node) || !node.range) return;
    add(path, from ?? node.range[0], node.range[1]);
    if (isMap(node)) for (const pair of node.items) visit(path + memberOf(nameOf(pair)), pair.value, startOf(pair));
    if (isSeq(node)) for (const [i, item] of node.items.entries()) visit(`${path}[${i}]`, item);
  };
  const { contents } = readYaml(rendered);
  const data = isMap(contents) ? contents.items.find((pair) => nameOf(pair) === "data") : undefined;
  if (data) visit("", data.value, startOf(data));
  return hints;
}

function nameOf({ key }: Pair<unknown, unknown>): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function startOf({ key }: Pair<unknown, unknown>): number | undefined {
  return isNode(key) ? (key as Node).range?.[0] : undefined;
}
