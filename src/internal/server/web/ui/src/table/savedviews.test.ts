import { beforeEach, expect, test, vi } from "vitest";
import { forgetView, isSame, saveView, savedViews, viewOf } from "./savedviews";

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => kept.set(key, text) });
});

test("views are kept by kind and name, and replaced", () => {
  saveView({ name: " silver ", search: { kind: "cluster", labels: "tier=silver", id: "cluster/a", tab: "yaml" } });
  saveView({ name: "silver", search: { kind: "cluster", labels: "tier=silver", sort: "-name" } });
  saveView({ name: "silver", search: { kind: "environment" } });
  saveView({ name: "All", search: { kind: "cluster" } });
  expect(savedViews("cluster")).toEqual([{ name: "All", search: { kind: "cluster" } }, { name: "silver", search: { kind: "cluster", labels: "tier=silver", sort: "-name" } }]);
  forgetView({ name: "silver", search: { kind: "cluster" } });
  expect(savedViews()).toEqual([{ name: "All", search: { kind: "cluster" } }, { name: "silver", search: { kind: "environment" } }]);
});

test.each([
  { name: "nothing", text: undefined },
  { name: "no JSON", text: "{" },
  { name: "something else", text: '{"a":1}' },
  { name: "views of other versions", text: '[1,{"name":2},{"name":"x","search":{"labels":"a=b"}},{"name":"y","search":{"kind":5}}]' },
])("none are read where there is $name", ({ text }) => {
  if (text !== undefined) kept.set("dovetail-views", text);
  expect(savedViews()).toEqual([]);
});

test("a view is made of filters, order and columns alone", () => {
  expect(viewOf({ kind: "cluster", id: "cluster/a", like: "", labels: "a=b", columns: "Size" })).toEqual({ kind: "cluster", labels: "a=b", columns: "Size" });
  expect(isSame({ kind: "cluster", id: "cluster/a" }, { kind: "cluster", tab: "yaml" })).toBe(true);
  expect(isSame({ kind: "cluster", like: "a" }, { kind: "cluster" })).toBe(false);
});
