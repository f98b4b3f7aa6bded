import { MarkerType, Position, type Edge, type Node } from "@xyflow/react";
import type { Place } from "./blocks";
import { allFrames, endsIn, type Arrangement } from "./frames";
import type { Layout } from "./layout";
import type { PictureEdge, PictureNode } from "./model";

export type BoxNode = Node<{ title: string; note: string; main: boolean; many: boolean; more: boolean }, "box">;
export type FrameNode = Node<{ title: string }, "frame">;
export type RouteEdge = Edge<{ points: Place[]; at?: Place }, "route">;

export const boxHeight = 46;

/** A frame's id is no document's: highlights reach it by its members. */
const handlesOf = (width: number, height: number) => [
  { type: "source" as const, position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
  { type: "target" as const, position: Position.Right, x: width, y: height / 2, width: 1, height: 1 },
];

/** What React Flow draws of a picture that is laid out. The arrows of a frame's members are one. */
export function draw(nodes: PictureNode[], edges: PictureEdge[], arrangement: Arrangement, layout: Layout, widthOf: (node: PictureNode) => number): { nodes: (BoxNode | FrameNode)[]; edges: RouteEdge[] } {
  const boxes: BoxNode[] = nodes.map((node) => {
    const { id, title, note, main = false, many = false, more = false } = node;
    const width = widthOf(node);
    return { id, type: "box", position: layout.places.get(id) ?? { x: 0, y: 0 }, width, height: boxHeight, handles: handlesOf(width, boxHeight), data: { title, note, main, many, more }, ariaLabel: `${title}, ${note}`, zIndex: 1 };
  });
  const areas: FrameNode[] = allFrames(arrangement).map(({ id, note, members }) => {
    const { x, y, width, height } = layout.areas.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
    return { id, type: "frame", position: { x, y }, width, height, handles: handlesOf(width, height), data: { title: note === "" ? `${members.length}` : `${note} · ${members.length}` }, focusable: false, selectable: false, zIndex: -1 };
  });
  const ends = endsIn(arrangement);
  const arrows = new Map<string, RouteEdge>();
  for (const [i, { from, to, label, dashed = false }] of edges.entries()) {
    const { points = [], label: at } = layout.routes[i] ?? {};
    const [source, target] = ends(from, to);
    const id = `${source}\n${target}\n${dashed}${label === undefined ? "" : `\n${i}`}`;
    if (points.length < 2 || arrows.has(id)) continue;
    arrows.set(id, { id, type: "route", source, target, label, data: { points, at }, style: dashed ? { strokeDasharray: "5 4" } : undefined, markerEnd: { type: MarkerType.ArrowClosed } });
  }
  return { nodes: [...areas, ...boxes], edges: [...arrows.values()] };
}

const radius = 6; // of corners

/** A line through points, with round corners. */
export function pathOf(points: Place[]): string {
  return points
    .map((point, i) => {
      const [before, after] = [points[i - 1], points[i + 1]];
      if (before === undefined) return `M${point.x},${point.y}`;
      if (after === undefined) return `L${point.x},${point.y}`;
      const [begin, end] = [towards(point, before), towards(point, after)];
      return `L${begin.x},${begin.y}Q${point.x},${point.y} ${end.x},${end.y}`;
    })
    .join("");
}

function towards(from: Place, to: Place): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(radius, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
