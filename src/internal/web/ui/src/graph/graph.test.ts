import { describe, expect, test } from "vitest";
import { fold, foldFrom } from "./fold";
import { layOut } from "./layout";
import type { PictureEdge } from "./Picture";

const star = (n: number, relation: Partial<PictureEdge> = {}) => ({
  nodes: [{ id: "hub", title: "hub", note: "cluster", main: true }, ...Array.from({ length: n }, (_, i) => ({ id: `leaf-${i}`, title: `leaf-${i}`, note: "environment" }))],
  edges: Array.from({ length: n }, (_, i) => ({ from: `leaf-${i}`, to: "hub", dashed: true, ...relation })),
});
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
    const [box] = fold(nodes, edges, new Set(), name).folded.keys();
    expect(fold(nodes, edges, new Set([box ?? ""]), name).nodes).toEqual(nodes);
    const few = star(foldFrom - 1);
    expect(fold(few.nodes, few.edges, new Set(), name).nodes).toEqual(few.nodes);
  });

  test("that are connected with others, too, stay apart", () => {
    const { nodes, edges } = star(foldFrom + 1);
    const { nodes: boxes, edges: arrows } = fold(nodes, [...edges, { from: "leaf-0", to: "leaf-1" }], new Set(), name);
    expect(boxes.map(({ title }) => title)).toEqual(["hub", ...nodes.slice(1, 3).map(({ id }) => id), ...nodes.slice(3).map(({ id }) => id)]);
    expect(arrows).toHaveLength(foldFrom + 2);
    const more = star(foldFrom + 2);
    expect(fold(more.nodes, [...more.edges, { from: "leaf-0", to: "leaf-1" }], new Set(), name).nodes.map(({ title }) => title)).toEqual(["hub", "leaf-0", "leaf-1", `${foldFrom} × environment`]);
  });
});

describe("the layout", () => {
  test.each([{ n: 1 }, { n: 65 }, { n: 1000 }])("of a hub with $n others is wrapped, and nothing covers anything", ({ n }) => {
    const { nodes, edges } = star(n);
    const { places, width, height } = layOut(nodes.map(({ id }) => ({ id, width: 180, height: 46 })), edges, 1500);
    expect(width).toBeLessThanOrEqual(1500);
    const taken = new Set([...places.values()].map(({ x, y }) => `${x} ${y}`));
    expect(taken.size).toBe(n + 1);
    for (const { x, y } of places.values()) {
      expect(x >= 0 && y >= 0 && x + 180 <= width && y + 46 <= height).toBe(true);
    }
    expect(Math.max(...nodes.slice(1).map(({ id }) => -(places.get(id)?.y ?? 0)))).toBeLessThan(-(places.get("hub")?.y ?? 0)); // arrows point up
  });

  test("puts rows of one rank apart", () => {
    const { nodes, edges } = star(20);
    const { places } = layOut(nodes.map(({ id }) => ({ id, width: 180, height: 46 })), edges, 1500);
    const all = [...places.values()];
    for (const [i, a] of all.entries()) {
      for (const b of all.slice(i + 1)) expect(Math.abs(a.x - b.x) >= 180 || Math.abs(a.y - b.y) >= 46).toBe(true);
    }
  });
});
