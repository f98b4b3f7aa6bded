import type { PictureEdge, PictureNode } from "./model";

/** Boxes that stand in a frame: they are connected with the same others in the same ways, or are of one kind and hang on one head. */
export interface Frame {
  id: string;
  note: string;
  head?: string; // what all of them refer to, where each stands with what hangs on it
  members: Branch[];
}

/** A box with what hangs on it alone, beside it. */
export interface Branch {
  id: string;
  below: (Branch | Frame)[];
}

/** How a picture is put together. */
export interface Arrangement {
  frames: Frame[]; // the outer ones, which may have others in them
  root?: Branch; // all of it, where everything hangs on one box
}

/**
 * Arranges a picture: so many siblings, and more, have a frame. Those that are connected with nothing have one, too. With branches, what hangs on
 * one box alone stands beside that, in whatever frame it is, so that 300 environments with two namespaces each are one frame.
 */
export function arrange(nodes: PictureNode[], edges: PictureEdge[], from: number, branches: boolean): Arrangement {
  const heads = branches ? headsOf(nodes, edges) : new Map<string, PictureEdge>();
  const hanging = new Map<string, PictureNode[]>();
  for (const node of nodes) {
    const head = heads.get(node.id)?.to;
    if (head === undefined) continue;
    const known = hanging.get(head);
    if (known) known.push(node);
    else hanging.set(head, [node]);
  }
  const framed = new Set<string>();
  /** What hangs on a box: in frames, and what is too little for one. */
  const split = (head: string) => {
    const groups = groupBy(hanging.get(head) ?? [], ({ id, note, many }) => (many ? id : `${note} ${heads.get(id)?.dashed}`));
    return { few: groups.filter(([, members]) => members.length < from).flatMap(([, members]) => members), groups: groups.filter(([, members]) => members.length >= from) };
  };
  const framesOn = (head: string): Frame[] =>
    split(head).groups.map(([key, members]) => ({ id: `frame ${key}\non ${head}`, note: members[0]?.note ?? "", head, members: members.map(({ id }) => branchOf(id, true)) }));
  const branchOf = (id: string, inside: boolean): Branch => {
    if (inside) framed.add(id);
    return { id, below: [...split(id).few.map((node) => branchOf(node.id, inside)), ...framesOn(id)] };
  };
  const roots = nodes.filter(({ id }) => !heads.has(id)).map(({ id }) => branchOf(id, false));
  const frames = roots.flatMap((branch) => outerFrames(branch));
  const [root] = roots;
  return { frames: [...frames, ...likeFrames(nodes.filter(({ id }) => !framed.has(id)), edges, from)], root: branches && roots.length === 1 && nodes.length > 1 ? root : undefined };
}

/** The frames of an arrangement, those in others, too, after the ones that they are in. */
export function allFrames({ frames }: Arrangement): Frame[] {
  return frames.flatMap((frame) => [frame, ...frame.members.flatMap((branch) => allFrames({ frames: outerFrames(branch) }))]);
}

function outerFrames({ below }: Branch): Frame[] {
  return below.flatMap((part) => ("members" in part ? [part] : outerFrames(part)));
}

/** Everything in a frame, in whatever branch. */
export function idsIn({ members }: Frame): string[] {
  return members.flatMap(idsOf);
}

/** A box and all that hangs on it. */
export function idsOf({ id, below }: Branch): string[] {
  return [id, ...below.flatMap((part) => ("members" in part ? idsIn(part) : idsOf(part)))];
}

/** Where an arrow between two boxes begins and ends: at their frames, where it is the one of all members. */
export function endsIn(arrangement: Arrangement): (from: string, to: string) => [string, string] {
  const frameOf = new Map(allFrames(arrangement).flatMap((frame) => frame.members.map(({ id }) => [id, frame])));
  const end = (id: string, other: string) => {
    const frame = frameOf.get(id);
    return frame && (frame.head === undefined || frame.head === other) ? frame.id : id;
  };
  return (from, to) => [end(from, to), end(to, from)];
}

/** The arrows by which boxes hang on others: each refers to that other, and is connected with nothing else but what hangs on it. */
function headsOf(nodes: PictureNode[], edges: PictureEdge[]): Map<string, PictureEdge> {
  const around = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  const arrows = new Map<string, PictureEdge>();
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    around.get(edge.from)?.add(edge.to);
    around.get(edge.to)?.add(edge.from);
    arrows.set(`${edge.from}\n${edge.to}`, arrows.has(`${edge.from}\n${edge.to}`) ? { ...edge, dashed: false } : edge);
  }
  const main = new Set(nodes.filter((node) => node.main).map(({ id }) => id));
  const heads = new Map<string, PictureEdge>();
  const left = nodes.map(({ id }) => id);
  for (const id of left) { // which grows while it is read
    const others = around.get(id);
    if (others?.size !== 1 || main.has(id)) continue;
    const [head = ""] = others;
    const arrow = arrows.get(`${id}\n${head}`);
    if (arrow === undefined || arrows.has(`${head}\n${id}`)) continue;
    heads.set(id, arrow);
    others.clear();
    around.get(head)?.delete(id);
    left.push(head);
  }
  return heads;
}

/** The frames of those that are connected with the same others in the same ways. */
function likeFrames(nodes: PictureNode[], edges: PictureEdge[], from: number): Frame[] {
  const ends = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from: source, to, dashed = false } of edges) {
    ends.get(source)?.push(`to ${dashed} ${to}`);
    ends.get(to)?.push(`from ${dashed} ${source}`);
  }
  const alike = nodes.filter(({ id, main, many }) => !many && !(main && ends.get(id)?.length));
  return groupBy(alike, ({ id, note }) => `frame ${note}\n${ends.get(id)?.sort().join("\n")}`)
    .filter(([, members]) => members.length >= from)
    .map(([id, members]) => ({ id, note: members[0]?.note ?? "", members: members.map((node) => ({ id: node.id, below: [] })) }));
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
