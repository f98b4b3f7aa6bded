import { describe, expect, test } from "vitest";
import { hopsOf, waysOf } from "./hops";
import type { Step } from "./queries";

const step = (name: string, from: string | null, to: string | null): Step => ({ package: name, from, to });
const plan = [step("app", "1.0.0", "1.5.0"), step("lib", "1.0.0", "2.0.0"), step("app", "1.5.0", "2.0.0"), step("old", "1.0.0", null), step("new", null, "1.0.0")];
const selections = ["src:app:2.0.0:main", "src:lib:2.0.0:main", "src:new:1.0.0:main", "src:same:3.0.0:main"];
const installed = [{ name: "app", version: "1.0.0" }, { name: "lib", version: "1.0.0" }, { name: "old", version: "1.0.0" }, { name: "same", version: "3.0.0" }];

describe("the ways of packages", () => {
  const want = [
    { name: "app", now: "1.0.0", via: ["1.5.0"], selected: "2.0.0" },
    { name: "lib", now: "1.0.0", via: [], selected: "2.0.0" },
    { name: "old", now: "1.0.0", via: [], selected: null },
    { name: "new", now: null, via: [], selected: "1.0.0" },
    { name: "same", now: "3.0.0", via: [], selected: "3.0.0" },
  ];
  test.each([
    { name: "what is installed is in the spec", spec: { installed }, status: { plan, selections } },
    { name: "what is installed was activated", spec: {}, status: { plan, selections, activation: { time: "", installed } } },
  ])("$name", ({ spec, status }) => expect(waysOf(spec, status)).toEqual(want));

  test("without a plan it is what is selected", () => expect(waysOf({}, { selections: ["src:a:1.0.0:main"] })).toEqual([{ name: "a", now: null, via: [], selected: "1.0.0" }]));
});

test("each step is one of the hops of its package", () =>
  expect(hopsOf(plan)).toEqual([{ hop: 1, of: 2 }, { hop: 1, of: 1 }, { hop: 2, of: 2 }, { hop: 1, of: 1 }, { hop: 1, of: 1 }]));
