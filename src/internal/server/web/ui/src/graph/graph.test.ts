import ELK from "elkjs/lib/elk.bundled.js";
import { describe, expect, test } from "vitest";
import { pathOf } from "./draw";
import { fold, foldFrom } from "./fold";
import { allFrames, arrange, idsIn } from "./frames";
import { arrowKey, withFrames } from "./highlight";
import { layOut } from "./layout";
import type { PictureEdge } from "./model";
import { dependentsOf, pathBetween, union } from "./walk";

const star = (n: number, relation: Partial<PictureEdge> = {}) => ({
  nodes: [{ id: "hub", title: "hub", note: "cluster", main: true }, ...Array.from({ length: n }, (_, i) => ({ id: `leaf-${i}`, title: `leaf-${i}`, note: "environment" }))],
  edges: Array.from({ length: n }, (_, i) => ({ from: `leaf-${i}`, to: "hub", dashed: true, ...relation })),
});
/** A hub with so many others, each with one or two below it. */
const tree = (n: number) => {
  const { nodes, edges } = star(n);
  const below = nodes.slice(1).flatMap(({ id }, i) => Array.from({ length: 1 + (i % 2) }, (_, j) => ({ id: `${id}-${j}`, title: id, note: "namespace", above: id })));
  return { nodes: [...nodes, ...below], edges: [...edges, ...below.map(({ id, above }) => ({ from: id, to: above, dashed: true }))] };
};
const sized = (nodes: { id: string }[]) => nodes.map(({ id }) => ({ id, width: 180, height: 46 }));
const graph = (...edges: [string, string][]) => ({ nodes: [...new Set(edges.flat())].map((id) => ({ id, kind: "k", distance: 0 })), edges: edges.map(([from, to]) => ({ from, to, relation: "reference" as const })) });
const arrowsOf = (edges: PictureEdge[]) => edges.map(({ from, to }) => ({ from, to }));
const noEngine = () => {
  throw new Error("the engine is asked");
};
const name = (kind: string, n: number) => `${n} × ${kind}`;

describe("siblings", () => {
  test("of a kind with the same connections are one box, with one arrow", () => {
    const { nodes, edges } = star(foldFrom);
    const { nodes: boxes, edges: arrows, folded } = fold(nodes, edges, new Set(), name);
    expect(boxes.map(({ title }) => title)).toEqual(["hub", `${foldFrom} × environment`]);
    expect(arrows).toEqual([{ from: [...folded.keys()][0], to: "hub", dashed: true }]);
    expect([...folded.values()][0]?.members).toHaveLength(foldFrom);
  });

  test("are all shown once they are opened, and where they are few", () => {
    const { nodes, edges } = star(foldFrom);
    const [box] = fold(nodes, edges, new Set(), name).folded.values();
    expect(fold(nodes, edges, new Set(box?.members), name).nodes).toEqual(nodes);
    const few = star(foldFrom - 1);
    expect(fold(few.nodes, few.edges, new Set(), name).nodes).toEqual(few.nodes);
  });

  test("that are connected with others, too, stay apart", () => {
    const { nodes, edges } = star(foldFrom + 1);
    const { nodes: boxes, edges: arrows } = fold(nodes, [...edges, { from: "leaf-0", to: "leaf-1" }], new Set(), name);
    expect(boxes.map(({ title }) => title)).toEqual(["hub", ...nodes.slice(1).map(({ id }) => id)]);
    expect(arrows).toHaveLength(foldFrom + 2);
    const more = star(foldFrom + 2);
    expect(fold(more.nodes, [...more.edges, { from: "leaf-0", to: "leaf-1" }], new Set(), name).nodes.map(({ title }) => title)).toEqual(["hub", "leaf-0", "leaf-1", `${foldFrom} × environment`]);
  });

  test("are folded with what is below them, however many that are each", () => {
    const { nodes, edges } = tree(65);
    const { nodes: boxes, edges: arrows } = fold(nodes, edges, new Set(), name);
    expect(boxes.map(({ title }) => title)).toEqual(["hub", "65 × environment", "97 × namespace"]);
    expect(arrows).toHaveLength(2);
  });

  test("below few others are a box for each of those", () => {
    const { nodes, edges } = star(2);
    const below = nodes.slice(1).flatMap(({ id }) => Array.from({ length: foldFrom }, (_, i) => ({ id: `${id}-${i}`, title: id, note: "namespace", above: id })));
    const { nodes: boxes } = fold([...nodes, ...below], [...edges, ...below.map(({ id, above }) => ({ from: id, to: above, dashed: true }))], new Set(), name);
    expect(boxes.map(({ title }) => title)).toEqual(["hub", "leaf-0", "leaf-1", `${foldFrom} × namespace`, `${foldFrom} × namespace`]);
  });
});

describe("the layout", () => {
  const shapes = [{ direction: "RIGHT", columns: 7 }, { direction: "DOWN", columns: 3 }] as const;
  const pictures = [{ picture: "a star", ...star(65) }, { picture: "a large star", ...star(999) }, { picture: "a tree", ...tree(20) }, { picture: "one that stands alone", ...star(0) }];

  test.each(pictures.flatMap((picture) => shapes.map((shape) => ({ ...picture, shape }))))("of $picture, $shape.direction: nothing covers anything, arrows end where they should", async ({ nodes, edges, shape }) => {
    const arrangement = arrange(nodes, edges, 6, shape.direction === "RIGHT");
    const { places, areas, routes, width, height } = await layOut(() => new ELK(), sized(nodes), arrowsOf(edges), arrangement, shape);
    expect(places.size).toBe(nodes.length);
    expect(areas.size).toBe(allFrames(arrangement).length);
    const all = [...places.values()].sort((a, b) => a.y - b.y || a.x - b.x);
    for (const [i, a] of all.entries()) {
      expect(a.x >= 0 && a.y >= 0 && a.x + 180 <= width && a.y + 46 <= height).toBe(true);
      const next = all[i + 1];
      if (next) expect(Math.abs(a.x - next.x) >= 180 || Math.abs(a.y - next.y) >= 46).toBe(true);
    }
    const hub = places.get("hub");
    for (const [i, { to }] of edges.entries()) {
      const { points } = routes[i] ?? { points: [] };
      expect(points.length).toBeGreaterThan(1);
      const end = points.at(-1);
      if (to === "hub" && end && hub) expect(end.x >= hub.x && end.x <= hub.x + 180 && end.y >= hub.y && end.y <= hub.y + 46).toBe(true);
    }
  });

  test("keeps a large star low enough to be read, in rows", async () => {
    const { nodes, edges } = star(999);
    const { width, height } = await layOut(() => new ELK(), sized(nodes), arrowsOf(edges), arrange(nodes, edges, 6, true), shapes[0]);
    expect(width).toBeLessThan(1700);
    expect(height).toBeLessThan(9000);
  });

  test("of a tree of a thousand asks no engine, and what is below something stands beside it", async () => {
    const { nodes, edges } = tree(400);
    const { places, width, height } = await layOut(noEngine, sized(nodes), arrowsOf(edges), arrange(nodes, edges, 6, true), shapes[0]);
    expect(width).toBeLessThan(1700);
    expect(height).toBeLessThan(17_000);
    for (const { from, to } of edges.filter((edge) => edge.to !== "hub")) {
      const [a, b] = [places.get(from), places.get(to)];
      expect(a && b && [a.x - b.x, Math.abs(a.y - b.y) <= 46]).toEqual([180 + 44, true]);
    }
  });

  test("keeps what hangs on boxes with them also where these are connected with others", async () => {
    const { nodes, edges } = tree(20);
    const others = [{ id: "x", title: "x", note: "set" }, { id: "y", title: "y", note: "set" }];
    const more = [{ from: "hub", to: "x" }, { from: "hub", to: "y" }, { from: "x", to: "y" }, { from: "leaf-0", to: "x" }];
    const { frames, root } = arrange([...nodes, ...others], [...edges, ...more], 6, true);
    expect(root).toBeUndefined();
    expect(frames.map((frame) => [frame.head, frame.members.length, idsIn(frame).length])).toEqual([["hub", 19, 19 + 29]]);
    const { places, routes } = await layOut(() => new ELK(), sized([...nodes, ...others]), arrowsOf([...edges, ...more]), { frames }, shapes[0]);
    expect(places.size).toBe(nodes.length + others.length);
    expect(routes.every(({ points }) => points.length > 1)).toBe(true);
  });

  test("of an arrow with a label leaves room for it", async () => {
    const { nodes, edges } = star(2);
    const { routes } = await layOut(() => new ELK(), sized(nodes), edges.map(({ from, to }) => ({ from, to, label: { width: 60, height: 18 } })), { frames: [] }, shapes[1]);
    for (const { points, label } of routes) {
      const ys = points.map(({ y }) => y);
      expect(label && label.y > Math.min(...ys) && label.y < Math.max(...ys)).toBe(true);
    }
    expect(new Set(routes.map(({ label }) => label?.x)).size).toBe(2);
  });
});

test("those that are connected with nothing have a frame", () => {
  const alone = Array.from({ length: 3 }, (_, i) => ({ id: `${i}`, title: `${i}`, note: "layering" }));
  expect(arrange(alone, [], 3, true).frames.map(idsIn)).toEqual([["0", "1", "2"]]);
  expect(arrange(alone, [], 4, true)).toEqual({ frames: [] });
});

test("what stands out makes its frame stand out", () => {
  const frames = [{ id: "frame", note: "", members: ["a", "b"].map((id) => ({ id, below: [] })) }];
  const { ids, arrows } = withFrames({ tone: "path", ids: new Set(["hub", "a"]), arrows: new Set([arrowKey("hub", "a")]) }, { frames });
  expect([...ids].sort()).toEqual(["a", "frame", "hub"]);
  expect(arrows).toEqual(new Set([arrowKey("frame", "hub")]));
});

test("a line through points has round corners", () => {
  expect(pathOf([{ x: 0, y: 0 }, { x: 20, y: 0 }, { x: 20, y: 20 }])).toBe("M0,0L14,0Q20,0 20,6L20,20");
});

describe("a walk", () => {
  test("finds a shortest path, whichever way relations point", () => {
    const { edges } = graph(["a", "b"], ["c", "b"], ["c", "d"], ["a", "x"], ["x", "y"], ["y", "d"], ["a", "z"]);
    expect(pathBetween(edges, "a", "d")).toHaveLength(4);
    expect(pathBetween(edges, "a", "a")).toEqual(["a"]);
    expect(pathBetween(edges, "a", "nowhere")).toBeUndefined();
  });

  test("meets in the middle of two parts", () => {
    const both = union(graph(["a", "b"], ["b", "m"]), graph(["m", "c"], ["c", "d"]));
    expect(pathBetween(both.edges, "a", "d")).toEqual(["a", "b", "m", "c", "d"]);
    expect(both.nodes).toHaveLength(5);
  });

  test("finds all that depends on a document, over others", () => {
    const { edges } = graph(["b", "a"], ["c", "b"], ["a", "up"], ["c", "a"]);
    expect([...dependentsOf(edges, "a")].sort()).toEqual(["a", "b", "c"]);
  });
});
