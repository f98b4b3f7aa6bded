import type { PictureEdge, PictureNode } from "./Picture";

/** Siblings that stand as one box. */
export interface Folded {
  id: string;
  kind: string;
  members: string[];
}

/** A picture in which siblings are folded, with the folded ones by the id of their box. */
export interface FoldedPicture {
  nodes: PictureNode[];
  edges: PictureEdge[];
  folded: Map<string, Folded>;
}

/** So many siblings are folded, and more. */
export const foldFrom = 8;

/**
 * Makes one box of documents of a kind that are connected with the same documents in the same ways, where there are many. Those in
 * open stay as they are, and so does what the picture is about.
 */
export function fold(nodes: PictureNode[], edges: PictureEdge[], open: ReadonlySet<string>, nameOf: (kind: string, n: number) => string): FoldedPicture {
  const ends = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to, dashed } of edges) {
    const how = dashed ? "parent" : "reference";
    ends.get(from)?.push(`to ${how} ${to}`);
    ends.get(to)?.push(`from ${how} ${from}`);
  }
  const siblings = new Map<string, Folded>();
  for (const { id, note, main } of nodes) {
    const connections = ends.get(id) ?? [];
    if (main || connections.length === 0) continue;
    const key = `${note}\n${connections.sort().join("\n")}`;
    const group = siblings.get(key) ?? { id: key, kind: note, members: [] };
    group.members.push(id);
    siblings.set(key, group);
  }
  const folded = new Map([...siblings].filter(([key, { members }]) => members.length >= foldFrom && !open.has(key)));
  const boxes = new Map([...folded.values()].flatMap(({ id, members }) => members.map((member) => [member, id])));
  const boxOf = (id: string) => boxes.get(id) ?? id;
  const arrows = new Map(edges.map((edge) => ({ ...edge, from: boxOf(edge.from), to: boxOf(edge.to) })).map((edge) => [`${edge.from}\n${edge.to}\n${edge.dashed}`, edge]));
  return {
    nodes: [
      ...nodes.filter(({ id }) => !boxes.has(id)),
      ...[...folded.values()].map(({ id, kind, members }) => ({ id, title: nameOf(kind, members.length), note: kind, many: true })),
    ],
    edges: [...arrows.values()],
    folded,
  };
}
