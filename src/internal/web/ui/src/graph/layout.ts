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

/** The upper left corner of a box. */
export interface Place {
  x: number;
  y: number;
}

/** Where boxes are, and how large the picture is, in pixels. */
export interface Layout {
  places: Map<string, Place>;
  width: number;
  height: number;
}

const gap = 24; // beside a box
const rowGap = 22; // below a box, between rows of one rank
const rankGap = 56;

/**
 * Places boxes so that arrows point up, to what holds them, and cross little. What would be one long row is wrapped into rows of so many
 * pixels at most, so that a wide picture becomes one that can be read.
 */
export function layOut(boxes: Box[], arrows: Arrow[], widest: number): Layout {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", ranker: boxes.length > 200 ? "longest-path" : "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { from, to } of arrows) {
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(to, from);
  }
  layout(graph);
  const ranks = new Map<number, Box[]>();
  for (const box of boxes) {
    const { y } = graph.node(box.id);
    const rank = ranks.get(y);
    if (rank) rank.push(box);
    else ranks.set(y, [box]);
  }
  const rows = [...ranks].sort(([a], [b]) => a - b).map(([, rank]) => wrap(rank.sort((a, b) => graph.node(a.id).x - graph.node(b.id).x), widest));
  const width = Math.max(...rows.flat().map(widthOf), 0);
  const places = new Map<string, Place>();
  let y = 0;
  for (const rank of rows) {
    for (const row of rank) {
      let x = (width - widthOf(row)) / 2;
      for (const box of row) {
        places.set(box.id, { x, y });
        x += box.width + gap;
      }
      y += Math.max(...row.map((box) => box.height)) + rowGap;
    }
    y += rankGap - rowGap;
  }
  return { places, width, height: Math.max(y - rankGap, 0) };
}

/** Rows of about the same length. */
function wrap(rank: Box[], widest: number): Box[][] {
  const fit = Math.max(1, Math.floor((widest + gap) / (Math.max(...rank.map((box) => box.width)) + gap)));
  const each = Math.ceil(rank.length / Math.ceil(rank.length / fit));
  return Array.from({ length: Math.ceil(rank.length / each) }, (_, i) => rank.slice(i * each, (i + 1) * each));
}

function widthOf(row: Box[]): number {
  return row.reduce((sum, box) => sum + box.width + gap, -gap);
}
