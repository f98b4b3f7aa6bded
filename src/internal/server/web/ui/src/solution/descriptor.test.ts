import { describe, expect, test } from "vitest";
import { applicationsOf, chunksOf, compareChunks } from "./descriptor";

test("applications are read in all their forms", () => {
  const read = applicationsOf({ applications: ["a:1", { version: "b:2:3", deployPostfix: "ns", alias: "x" }, { version: "none" }] });
  expect(read).toEqual([
    { name: "a", version: "1", deployPostfix: undefined, alias: undefined },
    { name: "b", version: "2:3", deployPostfix: "ns", alias: "x" },
    { name: "none", version: "", deployPostfix: undefined, alias: undefined },
  ]);
});

describe("chunks", () => {
  test("in their order", () => {
    expect(chunksOf({ applications: [], deployGraph: [{ chunkName: "one", apps: ["a"] }, { apps: [] }] })).toEqual([
      { name: "one", apps: ["a"] },
      { name: "2", apps: [] },
    ]);
    expect(chunksOf({ applications: [] })).toEqual([]);
    expect(chunksOf(undefined)).toEqual([]);
  });

  test("with what became of them", () => {
    const before = [{ name: "one", apps: ["a", "b"] }, { name: "gone", apps: ["g"] }];
    const after = [{ name: "one", apps: ["a", "c"] }, { name: "new", apps: ["n"] }];
    expect(compareChunks(before, after)).toEqual([
      { name: "one", mark: "same", apps: [{ name: "a", mark: "same" }, { name: "c", mark: "added" }, { name: "b", mark: "removed" }] },
      { name: "new", mark: "added", apps: [{ name: "n", mark: "added" }] },
      { name: "gone", mark: "removed", apps: [{ name: "g", mark: "removed" }] },
    ]);
    expect(compareChunks(undefined, after).flatMap((chunk) => [chunk.mark, ...chunk.apps.map((app) => app.mark)])).toEqual(["same", "same", "same", "same", "same"]);
  });
});
