import type { PictureEdge, PictureNode } from "./model";

/** Documents that stand as one box. */
export interface Folded {
  id: string;
  kind: string;
  members: string[];
}

/** A picture in which documents are folded, with the folded ones by the id of their box. */
export interface FoldedPicture {
  nodes: PictureNode[];
  edges: PictureEdge[];
  folded: Map<string, Folded>;
}

/** So many documents are folded, and more. */
export const foldFrom = 8;

/**
 * Makes one box of documents of a kind that are connected in the same ways with the same documents, or with documents that are folded
 * themselves: 65 environments of a cluster and their namespaces are two boxes. Documents in open stay as they are, and so does what the
 * picture is about.
 */
export function fold(nodes: PictureNode[], edges: PictureEdge[], open: ReadonlySet<string>, nameOf: (kind: string, n: number) => string): FoldedPicture {
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const apart = new Set(nodes.filter(({ id, main }) => main || open.has(id) || !connected.has(id)).map(({ id }) => id));
  let groups = groupsOf(nodes, edges, apart);
  for (let before = -1; before < apart.size; groups = groupsOf(nodes, edges, apart)) {
    before = apart.size;
    for (const members of groups.values()) {
      if (members.length < foldFrom) for (const { id } of members) apart.add(id);
    }
  }
  const folded = new Map<string, Folded>();
  const boxes = new Map<string, string>();
  for (const members of groups.values()) {
    const [first] = members;
    if (first === undefined || apart.has(first.id)) continue;
    const id = `${members.length} like ${first.id}`;
    folded.set(id, { id, kind: first.note, members: members.map((member) => member.id) });
    for (const member of members) boxes.set(member.id, id);
  }
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

/** Those that cannot be told apart by their kinds and connections: colour refinement, which counts no neighbours. */
function groupsOf(nodes: PictureNode[], edges: PictureEdge[], apart: ReadonlySet<string>): Map<string, PictureNode[]> {
  let colours = new Map(nodes.map(({ id, note }) => [id, apart.has(id) ? id : note]));
  for (let before = 0; ; ) {
    const groups = new Map<string, PictureNode[]>();
    for (const node of nodes) {
      const colour = colours.get(node.id) ?? "";
      const group = groups.get(colour);
      if (group) group.push(node);
      else groups.set(colour, [node]);
    }
    if (groups.size === before) return groups;
    before = groups.size;
    colours = refine(nodes, edges, colours);
  }
}

function refine(nodes: PictureNode[], edges: PictureEdge[], colours: ReadonlyMap<string, string>): Map<string, string> {
  const around = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  for (const { from, to, dashed = false } of edges) {
    around.get(from)?.add(`to ${dashed} ${colours.get(to)}`);
    around.get(to)?.add(`from ${dashed} ${colours.get(from)}`);
  }
  const numbers = new Map<string, string>(); // short names, as colours would grow with every round
  return new Map(
    nodes.map(({ id }) => {
      const seen = `${colours.get(id)}\n${[...(around.get(id) ?? [])].sort().join("\n")}`;
      const number = numbers.get(seen) ?? String(numbers.size);
      numbers.set(seen, number);
      return [id, number];
    }),
  );
}
