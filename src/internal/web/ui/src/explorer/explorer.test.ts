import { describe, expect, test } from "vitest";
import { readYaml } from "../yaml/merge";
import { membersOf, parseScalar, starterFor } from "./fields";
import { filterOf } from "./searches";
import { starterOf } from "./starter";

test.each([
  { name: "nothing", search: {}, want: {} },
  { name: "only a kind", search: { kind: "app" }, want: { kind: "app" } },
  { name: "a name with the signs of selectors", search: { find: "a,b=c! d\\" }, want: { fieldSelector: "metadata.name=a\\,b\\=c\\!\\ d\\\\" } },
  { name: "an id", search: { by: "id", find: "cluster/c1", kind: "app" }, want: { under: "cluster/c1", kind: "app" } },
  { name: "labels", search: { by: "labels", find: "a=b" }, want: { labelSelector: "a=b" } },
  { name: "fields", search: { by: "fields", find: "spec.a=b" }, want: { fieldSelector: "spec.a=b" } },
])("what a search means: $name", ({ search, want }) => {
  expect(filterOf(search)).toEqual(want);
});

describe("fields of the form", () => {
  test("those of the schema, then the others that are there", () => {
    const node = readYaml("b: 1\nz: 2\n").contents;
    const members = membersOf(node, { properties: { a: { type: "string" }, b: {} }, required: ["a"] });
    expect(members.map(({ name, required }) => ({ name, required }))).toEqual([
      { name: "a", required: true },
      { name: "b", required: false },
      { name: "z", required: false },
    ]);
  });

  test.each([
    { name: "a text of the schema", text: "12", before: undefined, types: ["string"], want: "12" },
    { name: "a text as before", text: "12", before: "x", types: [], want: "12" },
    { name: "a number of the schema", text: "12345678901234567890", before: undefined, types: ["integer"], want: 12345678901234567890n },
    { name: "a number as before", text: "1.5", before: 1, types: [], want: 1.5 },
    { name: "no number after all", text: "x", before: 1, types: [], want: "x" },
    { name: "no map by accident", text: "a: b", before: 1, types: [], want: "a: b" },
    { name: "broken YAML", text: "[", before: 1, types: [], want: "[" },
  ])("$name", ({ text, before, types, want }) => {
    expect(parseScalar(text, before, types)).toBe(want);
  });

  test.each([
    { name: "as the schema says", yaml: "[]", items: { type: "object" }, want: {} },
    { name: "as the last one", yaml: "[[1]]", items: undefined, want: [] },
    { name: "a text", yaml: "[]", items: undefined, want: "" },
  ])("a new item: $name", ({ yaml, items, want }) => {
    expect(starterFor(readYaml(yaml).contents, items)).toEqual(want);
  });
});

test("a new document has its name and what the schema requires", () => {
  const text = starterOf({
    name: "k", key: ["k"], keyId: "{k,}", definedAt: "",
    schema: { required: ["spec"], properties: { spec: { type: "object", required: ["list", "mode", "n"], properties: { list: { type: "array" }, mode: { enum: ["x", "y"] }, n: { type: "integer", minimum: 3 } } } } },
  });
  expect(text).toBe('metadata:\n  name: ""\nspec:\n  list: []\n  mode: x\n  n: 3\n');
});
