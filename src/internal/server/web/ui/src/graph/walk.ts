import type { Graph } from "../api/documents";

type Edges = Graph["edges"];

/** What two parts of a graph have together. */
export function union(a: Graph, b: Graph): Graph {
  const nodes = new Map([...b.nodes, ...a.nodes].map((node) => [node.id, node]));
  const edges = new Map([...a.edges, ...b.edges].map((edge) => [`${edge.from}\n${edge.to}\n${edge.relation}`, edge]));
  return { nodes: [...nodes.values()], edges: [...edges.values()], more: a.more === true || b.more === true };
}

/** A shortest path from one document to another, whichever way its relations point; undefined without one. */
export function pathBetween(edges: Edges, from: string, to: string): string[] | undefined {
  const around = new Map<string, string[]>();
  const add = (a: string, b: string) => {
    const known = around.get(a);
    if (known) known.push(b);
    else around.set(a, [b]);
  };
  for (const edge of edges) {
    add(edge.from, edge.to);
    add(edge.to, edge.from);
  }
  const before = new Map<string, string>([[from, ""]]);
  for (const at of before.keys()) { // which grows while it is read
    if (at === to) return backFrom(before, to);
    for (const next of around.get(at) ?? []) {
      if (!before.has(next)) before.set(next, at);
    }
  }
  return undefined;
}

function backFrom(before: ReadonlyMap<string, string>, to: string): string[] {
  const path: string[] = [];
  for (let at: string | undefined = to; at !== undefined && at !== ""; at = before.get(at)) path.unshift(at);
  return path;
}

/** A document with all that depends on it: what is below it and what refers to it, and so on. */
export function dependentsOf(edges: Edges, id: string): Set<string> {
  const found = new Set([id]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { from, to } of edges) {
      if (found.has(to)) found.add(from);
    }
  }
  return found;
}
