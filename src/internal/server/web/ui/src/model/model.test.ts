import { describe, expect, test } from "vitest";
import { formatId, nameOf, parseId } from "./ids";
import { fieldsOf, schemaAt, type JsonSchema } from "./jsonschema";
import { Model, type Kind } from "./kinds";
import { forbids } from "./lifecycle";
import { maskSecrets } from "../yaml/mask";
import { dots } from "./secrets";

describe("ids", () => {
  test.each([
    { name: "two elements", id: "cluster/c1/environment/dev", elements: [{ name: "cluster", value: "c1" }, { name: "environment", value: "dev" }] },
    { name: "escapes as the server writes them", id: "cluster/a%20b%2F%C3%B6%21%27%28%29%2A&=+:@$~", elements: [{ name: "cluster", value: "a b/ö!'()*&=+:@$~" }] },
    { name: "markup", id: "cluster/%3Cb%3E", elements: [{ name: "cluster", value: "<b>" }] },
  ])("$name", ({ id, elements }) => {
    expect(parseId(id)).toEqual(elements);
    expect(formatId(elements)).toBe(id);
    expect(nameOf(id)).toBe(elements.at(-1)?.value);
  });

  test.each(["", "cluster", "cluster/", "/c1", "cluster/%zz", "cluster/c1/environment"])("%j is no id", (id) => {
    expect(parseId(id)).toBeUndefined();
  });
});

const kind = (name: string, key: string[], more: Partial<Kind> = {}): Kind => ({ name, key, keyId: `{${key.join(",")},}`, definedAt: "f:1:1", ...more });

const model = new Model({
  hash: "h",
  sources: [],
  kinds: [
    kind("project", ["project"], { children: ["app", "version"], collections: [{ path: "/projects", item: "/projects/{project}" }] }),
    kind("app", ["project", "app"], { parent: "project", abstract: true, children: ["part"] }),
    kind("version", ["project", "name", "version"], { parent: "project", collections: [{ path: "/projects/{project}/versions", item: "/projects/{project}/versions/{name}/{version}" }] }),
    kind("part", ["project", "app", "part"], { parent: "app" }),
    kind("controller", ["group", "controller"], {
      collections: [
        { path: "/a-controllers", item: "/a-controllers/{controller}", fixed: { group: "a" } },
        { path: "/b-controllers", item: "/b-controllers/{controller}", fixed: { group: "b" } },
      ],
    }),
  ],
});

describe("the model", () => {
  test("abstract kinds are passed over", () => {
    expect(model.childKinds(model.kind("project")).map((k) => k.name)).toEqual(["part", "version"]);
    expect(model.childKinds().map((k) => k.name)).toEqual(["project", "controller"]);
  });

  test.each([
    { name: "top", id: "project/p%2F1", path: "/v2/projects/p%2F1", above: [] },
    { name: "two elements of its own", id: "project/p/name/n/version/v", path: "/v2/projects/p/versions/n/v", above: ["project/p"] },
    { name: "a fixed element chooses the collection", id: "group/b/controller/c", path: "/v2/b-controllers/c", above: [] },
    { name: "a fixed element that no collection has", id: "group/z/controller/c", path: undefined, above: [] },
    { name: "no kind", id: "nothing/x", path: undefined, above: [] },
  ])("where it is served: $name", ({ id, path, above }) => {
    expect(model.itemPath(id)).toBe(path);
    expect(model.ancestors(id)).toEqual(above);
  });

  test.each([
    { name: "at the top", id: "project/p%2F1", title: "p/1" },
    { name: "two elements of its own", id: "project/p/name/shop/version/v1", title: "shop / v1" },
    { name: "below an abstract kind", id: "project/p/app/a/part/x", title: "a / x" },
    { name: "no kind", id: "nothing/x", title: "x" },
    { name: "no id", id: "nothing", title: "nothing" },
  ])("what people call it: $name", ({ id, title }) => {
    expect(model.titleOf(id)).toBe(title);
  });

  test("collections", () => {
    expect(model.collectionPath(model.kind("version") as Kind, "project/p")).toBe("/v2/projects/p/versions");
    expect(model.collectionPath(model.kind("version") as Kind, "")).toBeUndefined();
  });
});

const schema: JsonSchema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      allOf: [{ properties: { mode: { enum: ["a", 1] } } }],
      properties: { items: { type: "array", items: { type: "object", properties: { name: { type: "string", description: "what" } } } } },
      additionalProperties: { type: "boolean" },
    },
  },
};

describe("JSON Schema", () => {
  test.each([
    { name: "through lists", path: ["spec", "items", 3, "name"], type: "string" },
    { name: "others", path: ["spec", "whatever"], type: "boolean" },
    { name: "unknown", path: ["nowhere"], type: undefined },
  ])("$name", ({ path, type }) => {
    expect(schemaAt(schema, path)?.type).toBe(type);
  });

  test("fields in words", () => {
    expect(fieldsOf(schema)).toEqual([
      { path: "spec", types: [], required: true, description: "", values: [] },
      { path: "spec.mode", types: [], required: false, description: "", values: ["a", "1"] },
      { path: "spec.items", types: ["array"], required: false, description: "", values: [] },
      { path: "spec.items[].name", types: ["string"], required: false, description: "what", values: [] },
    ]);
  });
});

describe("secrets", () => {
  const text = "metadata:\n  name: a\nspec:\n  type: user\n  data:\n    # old: hunter2\n    username: u # hunter2\n    pins: [1, 2]\n";
  test.each([
    { name: "none", sensitive: undefined, want: text },
    { name: "at a path", sensitive: { paths: ["/spec/data"] }, want: `metadata:\n  name: a\nspec:\n  type: user\n  data:\n    username: ${dots}\n    pins:\n    - ${dots}\n    - ${dots}\n` },
    { name: "one value", sensitive: { paths: ["/spec/type"] }, want: `metadata:\n  name: a\nspec:\n  type: ${dots}\n  data:\n    username: u\n    pins:\n    - 1\n    - 2\n` },
    { name: "all of it", sensitive: { whole: true }, want: `metadata:\n  name: a\nspec:\n  type: ${dots}\n  data:\n    username: ${dots}\n    pins:\n    - ${dots}\n    - ${dots}\n` },
    { name: "at a path that is not there", sensitive: { paths: ["/spec/other"] }, want: text },
  ])("$name", ({ sensitive, want }) => {
    expect(maskSecrets(text, sensitive)).toBe(want);
  });

  test("what cannot be read is not shown", () => {
    expect(maskSecrets("spec: {", { whole: true })).toBe(`${dots}\n`);
  });
});

describe("frozen states", () => {
  const lifecycle = { initial: "A", states: ["A", "B", "C"], actions: [], freeze: { put: ["B"], delete: ["B", "C"], children: { port: ["C"], rack: ["B"] } } };
  test.each([
    { name: "none", of: lifecycle, state: "A", want: { put: false, delete: false, children: [] } },
    { name: "change and delete", of: lifecycle, state: "B", want: { put: true, delete: true, children: ["rack"] } },
    { name: "delete", of: lifecycle, state: "C", want: { put: false, delete: true, children: ["port"] } },
    { name: "not known yet", of: lifecycle, state: undefined, want: { put: false, delete: false, children: [] } },
    { name: "without a lifecycle", of: undefined, state: undefined, want: { put: false, delete: false, children: [] } },
  ])("$name", ({ of, state, want }) => {
    expect(forbids(of, state)).toEqual(want);
  });
});
