import { graphlib, layout } from "@dagrejs/dagre";

/** Something to be drawn, with its size in pixels. */
export interface Box {
  id: string;
  width: number;
  height: number;
}

/** An arrow between two boxes. */
export interface Arrow {
  from: string;
  to: string;
}

/** Places boxes so that arrows point up, to what holds them, and cross little. Returns their upper left corners by id. */
export function layOut(boxes: Box[], arrows: Arrow[]): Map<string, { x: number; y: number }> {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 56, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of arrows) {
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(to, from);
  }
  layout(graph);
  return new Map(
    boxes.map(({ id, width, height }) => {
      const { x, y } = graph.node(id);
      return [id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}
