import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import { between, branchBlock, frameBlock, gap, put, routeLeft, type Area, type Block, type Place } from "./blocks";
import { endsIn, idsIn, type Arrangement } from "./frames";

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

/** Where boxes and frames are, the points of arrows in their order, and how large the picture is. */
export interface Layout extends Block {
  routes: { points: Place[]; label?: Place }[];
}

/** How a picture is laid out: from what is referred to on, to the right or down. */
export interface Shape {
  direction: "RIGHT" | "DOWN";
  columns: number; // of a frame, at most
  bound?: number; // how many stand side by side at most, where they go down
  ratio?: number; // of the width to the height, of parts that are not connected
}

/** The engine that lays out. In the page it works in a worker, in tests at once. */
export type Engine = Pick<ELK, "layout">;

const many = 250; // so many boxes are laid out with less care

/**
 * Places boxes so that arrows cross little and run around what is in their way; the members of a frame stand in rows. Where all hangs on one
 * box, the engine has nothing to decide: rows are placed at once, which takes milliseconds for a thousand boxes.
 */
export async function layOut(engine: () => Engine, boxes: Box[], arrows: Arrow[], { frames, root }: Arrangement, shape: Shape): Promise<Layout> {
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const whole = root !== undefined && shape.direction === "RIGHT" && arrows.every(({ label }) => !label);
  if (whole) return withRoutes(branchBlock(root, sizes, shape.columns), boxes, arrows, { frames, root });
  const blocks = new Map(frames.map((frame) => [frame.id, frameBlock(frame, sizes, shape.columns)]));
  const frameOf = new Map(frames.flatMap((frame) => idsIn(frame).map((id) => [id, frame.id])));
  const end = (id: string) => frameOf.get(id) ?? id;
  const drawn = new Map<string, ElkExtendedEdge>();
  const edges = arrows.map(({ from, to, label }, i) => {
    const id = label ? `${i}` : `${end(from)}\n${end(to)}`; // those of a frame are one
    if (!drawn.has(id) && end(from) !== end(to)) drawn.set(id, { id, sources: [end(to)], targets: [end(from)], labels: label && [{ id: `label ${id}`, text: "label", ...label }] });
    return id;
  });
  const free = boxes.filter(({ id }) => !frameOf.has(id));
  const careful = free.length + frames.length < many;
  const { children = [], edges: laid = [], width = 0, height = 0 }: ElkNode = await engine().layout({
    id: "picture",
    layoutOptions: optionsOf(shape, careful, arrows),
    children: [...free.map(({ id, width: w, height: h }) => ({ id, width: w, height: h })), ...[...blocks].map(([id, { width: w, height: h }]) => ({ id, width: w, height: h }))],
    edges: [...drawn.values()],
  });
  const picture: Block = { places: new Map(), areas: new Map(), width, height };
  for (const { id, x = 0, y = 0 } of children) {
    const block = blocks.get(id);
    if (block) put(picture, block, x, y);
    else picture.places.set(id, { x, y });
  }
  const inner = withRoutes(picture, boxes, arrows, { frames });
  const routes = new Map(laid.map((edge) => [edge.id, routeOf(edge)]));
  return { ...picture, routes: edges.map((id, i) => routes.get(id) ?? inner.routes[i] ?? { points: [] }) };
}

/** What the engine is asked for. */
function optionsOf(shape: Shape, careful: boolean, arrows: Arrow[]): Record<string, string> {
  return {
    "elk.algorithm": "layered",
    "elk.direction": shape.direction,
    "elk.padding": "[top=0,left=0,bottom=0,right=0]",
    "elk.aspectRatio": `${shape.ratio ?? 1.6}`,
    ...(shape.bound === undefined ? {} : { "elk.layered.layering.strategy": "COFFMAN_GRAHAM", "elk.layered.layering.coffmanGraham.layerBound": `${shape.bound}` }),
    "elk.edgeRouting": "ORTHOGONAL",
    "elk.spacing.nodeNode": `${gap}`,
    "elk.spacing.componentComponent": `${2 * gap}`,
    "elk.layered.spacing.nodeNodeBetweenLayers": `${between}`,
    "elk.layered.spacing.edgeNodeBetweenLayers": "14",
    "elk.layered.mergeEdges": `${arrows.every(({ label }) => !label)}`,
    "elk.layered.thoroughness": careful ? "7" : "1",
    "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
    ...(careful ? {} : { "elk.layered.crossingMinimization.greedySwitch.type": "OFF" }),
  };
}

/** A block with the arrows in its branches. */
function withRoutes(block: Block, boxes: Box[], arrows: Arrow[], arrangement: Arrangement): Layout {
  const ends = endsIn(arrangement);
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const areaOf = (id: string): Area | undefined => {
    const [place, size] = [block.places.get(id), sizes.get(id)];
    return place && size ? { ...place, width: size.width, height: size.height } : block.areas.get(id);
  };
  const routes = arrows.map(({ from, to }) => {
    const [source, target] = ends(from, to).map(areaOf);
    return { points: source && target && source.x > target.x + target.width ? routeLeft(source, target) : [] };
  });
  return { ...block, routes };
}

/** The points of an arrow, from what refers to what is referred to. */
function routeOf({ sections = [], labels = [] }: ElkExtendedEdge): Layout["routes"][number] {
  const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]).toReversed();
  const [label] = labels;
  return { points, label: label && { x: (label.x ?? 0) + (label.width ?? 0) / 2, y: (label.y ?? 0) + (label.height ?? 0) / 2 } };
}
