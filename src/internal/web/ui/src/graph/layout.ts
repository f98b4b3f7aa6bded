import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";

/** Something to be drawn, with its size in pixels. */
export interface Box {
  id: string;
  width: number;
  height: number;
}

/** An arrow between two boxes or frames, with the size of its label. */
export interface Arrow {
  from: string;
  to: string;
  label?: { width: number; height: number };
}

/** Boxes that stand together in rows. */
export interface Group {
  id: string;
  members: string[];
}

/** A point of a picture, in pixels. */
export interface Place {
  x: number;
  y: number;
}

/** Where boxes are, with the areas of groups, the points of arrows in their order, and how large the picture is. */
export interface Layout {
  places: Map<string, Place>;
  areas: Map<string, Place & { width: number; height: number }>;
  routes: { points: Place[]; label?: Place }[];
  width: number;
  height: number;
}

/** How a picture is laid out: from what is referred to on, to the right or down. */
export interface Shape {
  direction: "RIGHT" | "DOWN";
  columns: number; // of a group, at most
  bound?: number; // how many stand side by side at most, where they go down
  ratio?: number; // of the width to the height, of parts that are not connected
}

/** The engine that lays out. In the page it works in a worker, in tests at once. */
export type Engine = Pick<ELK, "layout">;

const gap = 14; // between boxes
const inset = 12; // of a group
const headHeight = 26; // of a group, for its name
const many = 250; // so many boxes are laid out with less care

/** Places boxes so that arrows cross little and run around what is in their way; the members of a group stand in rows. */
export async function layOut(engine: Engine, boxes: Box[], arrows: Arrow[], groups: Group[], shape: Shape): Promise<Layout> {
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const grids = new Map(groups.map((group) => [group.id, gridOf(group.members.flatMap((id) => sizes.get(id) ?? []), shape.columns)]));
  const groupOf = new Map(groups.flatMap(({ id, members }) => members.map((member) => [member, id])));
  const end = (id: string) => groupOf.get(id) ?? id;
  const drawn = new Map<string, ElkExtendedEdge>();
  const edges = arrows.map(({ from, to, label }, i) => {
    const id = label ? `${i}` : `${end(from)}\n${end(to)}`; // those of a group are one
    if (!drawn.has(id) && end(from) !== end(to)) drawn.set(id, { id, sources: [end(to)], targets: [end(from)], labels: label && [{ id: `label ${id}`, text: "label", ...label }] });
    return id;
  });
  const careful = boxes.length < many;
  const { children = [], edges: laid = [], width = 0, height = 0 }: ElkNode = await engine.layout({
    id: "picture",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": shape.direction,
      "elk.padding": "[top=0,left=0,bottom=0,right=0]",
      "elk.aspectRatio": `${shape.ratio ?? 1.6}`,
      ...(shape.bound === undefined ? {} : { "elk.layered.layering.strategy": "COFFMAN_GRAHAM", "elk.layered.layering.coffmanGraham.layerBound": `${shape.bound}` }),
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.spacing.nodeNode": `${gap}`,
      "elk.spacing.componentComponent": `${2 * gap}`,
      "elk.layered.spacing.nodeNodeBetweenLayers": "44",
      "elk.layered.spacing.edgeNodeBetweenLayers": "14",
      "elk.layered.mergeEdges": `${arrows.every(({ label }) => !label)}`,
      "elk.layered.thoroughness": careful ? "7" : "1",
      "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
      ...(careful ? {} : { "elk.layered.crossingMinimization.greedySwitch.type": "OFF" }),
    },
    children: [
      ...boxes.filter(({ id }) => !groupOf.has(id)).map(({ id, width: w, height: h }) => ({ id, width: w, height: h })),
      ...groups.map(({ id }) => ({ id, width: grids.get(id)?.width, height: grids.get(id)?.height })),
    ],
    edges: [...drawn.values()],
  });
  const places = new Map<string, Place>();
  const areas: Layout["areas"] = new Map();
  for (const { id, x = 0, y = 0, width: w = 0, height: h = 0 } of children) {
    const grid = grids.get(id);
    if (grid) areas.set(id, { x, y, width: w, height: h });
    else places.set(id, { x, y });
    for (const [member, at] of grid?.places ?? []) places.set(member, { x: x + at.x, y: y + at.y });
  }
  const routes = new Map(laid.map((edge) => [edge.id, routeOf(edge)]));
  return { places, areas, routes: edges.map((id) => routes.get(id) ?? { points: [] }), width, height };
}

/** The points of an arrow, from what refers to what is referred to. */
function routeOf({ sections = [], labels = [] }: ElkExtendedEdge): Layout["routes"][number] {
  const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]).toReversed();
  const [label] = labels;
  return { points, label: label && { x: (label.x ?? 0) + (label.width ?? 0) / 2, y: (label.y ?? 0) + (label.height ?? 0) / 2 } };
}

/** Rows of boxes, about twice as wide as high where the columns allow. */
function gridOf(boxes: Box[], most: number) {
  const width = Math.max(...boxes.map((box) => box.width), 0) + gap;
  const height = Math.max(...boxes.map((box) => box.height), 0) + gap;
  const columns = Math.max(1, Math.min(most, Math.round(Math.sqrt((2 * boxes.length * height) / width)), boxes.length));
  const rows = Math.ceil(boxes.length / columns);
  return {
    width: columns * width - gap + 2 * inset,
    height: rows * height - gap + inset + headHeight,
    places: boxes.map(({ id }, i): [string, Place] => [id, { x: inset + (i % columns) * width, y: headHeight + Math.floor(i / columns) * height }]),
  };
}
