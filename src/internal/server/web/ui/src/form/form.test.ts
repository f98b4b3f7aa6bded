import { describe, expect, test } from "vitest";
import type { Problem } from "../api/problem";
import { Model, type Kind } from "../model/kinds";
import { slotsOf, withSlots } from "../model/slots";
import { readYaml, writeYaml } from "../yaml/merge";
import { change, closedBy, holdsLocked, lockOf } from "./edit";
import { assign, faultsOf, fieldKey } from "./faults";
import { membersOf, parseScalar, starterFor } from "./fields";
import { missingIn, targetsOf } from "./missing";
import { starterOf } from "./starter";

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

test("a new document leaves to the server what it fills in", () => {
  const schema = { required: ["spec"], properties: { spec: { type: "object", required: ["tier", "city"], properties: { tier: { default: "silver" }, city: { type: "string" } } } } };
  const kind = { name: "k", key: ["k"], keyId: "{k,}", definedAt: "", schema };
  expect(starterOf({ ...kind, defaults: true })).toBe('metadata:\n  name: ""\nspec:\n  city: ""\n');
  expect(starterOf(kind)).toBe('metadata:\n  name: ""\nspec:\n  tier: silver\n  city: ""\n');
});

const kind = (name: string, key: string[], more: Partial<Kind> = {}): Kind => ({ name, key, keyId: "", definedAt: "", ...more });

const cable = kind("cable", ["site", "cable"], {
  references: [
    { to: ["port"], sentence: "", at: "spec.a", required: true },
    { to: ["port"], sentence: "", at: "spec.ends[*]", min: 2 },
    { to: ["vlan"], sentence: "", at: "spec.vlans.*" },
  ],
  schema: { required: ["spec"], properties: { spec: { type: "object", required: ["colour"], properties: { colour: { type: "string" } } } } },
});
const model = new Model({ hash: "", sources: [], kinds: [kind("site", ["site"]), kind("device", ["site", "device"]), kind("port", ["site", "device", "port"]), kind("vlan", ["site", "vlan"]), cable] });
const own = [{ name: "site", value: "north" }];
const slots = slotsOf(cable.references);
const schema = withSlots(cable.schema, slots);

describe("what is missing", () => {
  test.each([
    { name: "all", yaml: 'metadata: {name: ""}', want: ["metadata.name", "spec", "spec.a", "spec.ends 2"] },
    { name: "an empty object is no reference", yaml: "spec: {colour: red, a: {}, ends: []}", want: ["spec.a", "spec.ends 2"] },
    { name: "the same target counts once", yaml: "spec: {colour: red, a: {device: d, port: p}, ends: [{device: d, port: p}, {device: d, port: p}]}", want: ["spec.ends 2"] },
    { name: "an empty text", yaml: 'spec: {colour: "", a: {device: d, port: p}, ends: [{device: d, port: p}, {device: d, port: q}]}', want: ["spec.colour"] },
    { name: "nothing", yaml: "spec: {colour: red, a: {device: d, port: p}, ends: [{device: d, port: p}, {device: d, port: q}]}", want: [] },
  ])("$name", ({ yaml, want }) => {
    const found = missingIn(readYaml(yaml).toJS(), schema, slots, model, own);
    expect(found.map(({ path, least }) => [path.join("."), least].filter(Boolean).join(" ")).sort()).toEqual(want);
  });
});

const problem = (errors: Problem["errors"]): Problem => ({ type: "", title: "", status: 422, code: "", detail: "", errors });

describe("what the server refuses is shown", () => {
  const text = readYaml("spec: {colour: red, a: {device: d, port: p}, ends: [{device: d, port: q}], vlans: {v1: {}}}");
  const targets = slots.flatMap((slot) => targetsOf(text.toJS(), slot, model, own).flatMap(({ path, id }) => (id === undefined ? [] : [{ path, id }])));
  test.each([
    { name: "at a value", error: { path: "/spec/colour" }, want: [["spec", "colour"]] },
    { name: "at what is absent, where its field is", error: { path: "/spec/a/site" }, want: [["spec", "a"]] },
    { name: "at what holds a value that has no field", error: { path: "/spec/nothing/inner" }, want: [["spec"]] },
    { name: "at an item", error: { path: "/spec/ends/0/port" }, want: [["spec", "ends", 0]] },
    { name: "at a list, for an item that is not there", error: { path: "/spec/ends/7" }, want: [["spec", "ends"]] },
    { name: "at every reference to what is missing", error: { path: "/spec/a", missing: ["site/north/device/d/port/p", "site/north/vlan/v1"] }, want: [["spec", "a"], ["spec", "vlans", "v1"]] },
    { name: "below the form without a path", error: { reason: "RULE" }, want: [] },
  ])("$name", ({ error, want }) => {
    const { fields, rest } = assign(faultsOf(problem([{ code: "", message: "m", ...error }])), text, schema, slots, targets);
    expect([...fields.keys()]).toEqual(want.map(fieldKey));
    expect(rest.length).toBe(want.length === 0 ? 1 : 0);
  });

  test("without errors of its own, a problem is one", () => {
    expect(faultsOf({ type: "", title: "", status: 409, code: "conflict", reason: "TAKEN", detail: "taken", blockedBy: { ids: ["a/b"], total: 1 } })).toEqual([
      { path: [], message: "taken", remedy: undefined, reason: "TAKEN", blockedBy: ["a/b"], missing: [] },
    ]);
    expect(faultsOf(undefined)).toEqual([]);
  });
});

describe("immutable values", () => {
  const locked = lockOf(["spec.region", "spec.uplinks[*].name"], "no");
  test.each([
    { name: "the value", path: ["spec", "region"], is: "no", holds: true },
    { name: "what is in it", path: ["spec", "region", "zone"], is: "no", holds: true },
    { name: "of every item", path: ["spec", "uplinks", 3, "name"], is: "no", holds: true },
    { name: "beside it", path: ["spec", "uplinks", 0, "speed"], is: undefined, holds: false },
    { name: "what holds it", path: ["spec"], is: undefined, holds: true },
    { name: "an item that has none", path: ["spec", "uplinks", 1], is: undefined, holds: false },
  ])("$name", ({ path, is, holds }) => {
    expect(locked(path)).toBe(is);
    expect(holdsLocked(readYaml("spec: {region: eu, uplinks: [{name: a, speed: 1}, {speed: 2}]}"), path, locked)).toBe(holds);
  });
});

test("changes keep what they do not touch", () => {
  const document = readYaml("# c\nspec:\n  big: 12345678901234567890 # d\n  gone: 1\n");
  change(document, [{ path: ["spec", "gone"], value: undefined }, { path: ["spec", "a", "port"], value: "p" }]);
  expect(writeYaml(document)).toBe("# c\nspec:\n  big: 12345678901234567890 # d\n  a:\n    port: p\n");
});

describe("a strict kind takes no other members", () => {
  const one: Parameters<typeof closedBy>[0] = { strict: true, schema: { properties: { spec: { properties: { open: { type: "object" }, map: { properties: { a: {} }, additionalProperties: {} } } } } } };
  test.each([
    { name: "at the top", of: one, path: [], want: true },
    { name: "where its schema names some", of: one, path: ["spec"], want: true },
    { name: "but where its schema names none", of: one, path: ["spec", "open"], want: false },
    { name: "but where its schema has others", of: one, path: ["spec", "map"], want: false },
    { name: "but in the metadata, which has more by convention", of: one, path: ["metadata"], want: false },
    { name: "but where references stand anywhere", of: { ...one, references: [{ to: ["x"], sentence: "" }] }, path: ["spec"], want: false },
    { name: "and others do, where their schema is not closed", of: { ...one, strict: false }, path: ["spec"], want: false },
    { name: "as no kind does where its schema is closed", of: { schema: { additionalProperties: false } }, path: [], want: true },
  ])("$name", ({ of, path, want }) => {
    expect(closedBy(of)(path)).toBe(want);
  });
});
