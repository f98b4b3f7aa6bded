import { describe, expect, test } from "vitest";
import { channelsOf, needOf, upgradePicture, versionsIn, wayBetween } from "./catalog";
import type { WholePackage } from "./catalogqueries";

const whole: WholePackage = {
  source: "cat",
  name: "p",
  defaultChannel: "stable",
  versions: [
    { version: "3.0.0", channels: ["alpha", "stable"] },
    { version: "2.0.0", channels: ["alpha", "stable"], deprecated: true },
    { version: "1.5.0", channels: ["alpha"], withdrawn: true },
    { version: "1.0.0", channels: ["stable"] },
  ],
  upgrades: [
    { from: "2.0.0", to: "3.0.0", by: "replaces" },
    { from: "1.0.0", to: "3.0.0", by: "skipRange" },
    { from: "1.0.0", to: "2.0.0", by: "replaces" },
    { from: "1.5.0", to: "2.0.0", by: "skips" },
    { from: "0.9.0", to: "1.0.0", by: "replaces" },
  ],
};
const notes = { head: "head", deprecated: "deprecated", withdrawn: "withdrawn", absent: "absent" };

describe("channels", () => {
  test("the default one first, each with its newest version", () => {
    expect(channelsOf(whole)).toEqual([{ name: "stable", head: "3.0.0", count: 3, isDefault: true }, { name: "alpha", head: "3.0.0", count: 3, isDefault: false }]);
    expect(versionsIn(whole, "stable").map(({ version }) => version)).toEqual(["3.0.0", "2.0.0", "1.0.0"]);
    expect(versionsIn(whole)).toHaveLength(4);
  });
});

test.each([
  { name: "the fewest hops", from: "0.9.0", to: "3.0.0", want: ["0.9.0", "1.0.0", "3.0.0"] },
  { name: "no hop", from: "2.0.0", to: "2.0.0", want: ["2.0.0"] },
  { name: "none backwards", from: "3.0.0", to: "1.0.0", want: undefined },
  { name: "none from what nothing knows", from: "7.0.0", to: "3.0.0", want: undefined },
])("a way: $name", ({ from, to, want }) => {
  expect(wayBetween(whole.upgrades, from, to)).toEqual(want);
});

describe("the picture", () => {
  test("has versions of before the catalog, and ranges of the chosen version alone", () => {
    const { nodes, edges } = upgradePicture(whole, versionsIn(whole, "stable"), versionsIn(whole, "stable"), notes);
    expect(nodes.map(({ title, note }) => `${title} ${note}`)).toEqual(["3.0.0 head", "2.0.0 deprecated", "1.0.0 stable", "1.5.0 withdrawn", "0.9.0 absent"]);
    expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual(["2.0.0 3.0.0", "1.0.0 2.0.0", "1.5.0 2.0.0", "0.9.0 1.0.0"]);
    expect(upgradePicture(whole, versionsIn(whole, "stable"), versionsIn(whole, "stable"), notes, "1.0.0").edges).toContainEqual({ from: "1.0.0", to: "3.0.0", dashed: true, label: "skipRange" });
  });

  test("leaves out upgrades from versions of the channel that are not drawn", () => {
    const stable = versionsIn(whole, "stable");
    expect(upgradePicture(whole, stable, stable.slice(0, 2), notes).edges.map(({ from, to }) => `${from} ${to}`)).toEqual(["2.0.0 3.0.0", "1.5.0 2.0.0"]);
  });
});

test.each([
  { name: "a selector", need: { name: "db", versionRange: ">=13" }, want: "db >=13" },
  { name: "an API", need: { gvk: { kind: "X" } }, want: '{"gvk":{"kind":"X"}}' },
  { name: "an expression", need: { any: [{ name: "a" }] }, want: '{"any":[{"name":"a"}]}' },
  { name: "a text", need: 'required("a")', want: 'required("a")' },
])("a need: $name", ({ need, want }) => {
  expect(needOf(need)).toBe(want);
});
