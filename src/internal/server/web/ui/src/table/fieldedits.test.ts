import { describe, expect, test } from "vitest";
import type { Row } from "../api/queries";
import { parseExact, writeExact } from "../model/exact";
import type { Kind } from "../model/kinds";
import { offersOf, patchOf, pathsOf, valueBefore, type FieldEdit } from "./fieldedits";

const kind: Kind = {
  name: "device", key: ["site", "device"], keyId: "", definedAt: "", sensitive: { paths: ["/spec/pin"] },
  schema: { type: "object", properties: { metadata: { type: "object", properties: { name: { type: "string" }, description: { type: "string" } } }, spec: { type: "object", properties: { serial: { type: "string" }, tier: { enum: ["gold", "silver"] }, ports: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } } } } } },
};

function row(spec: string): Row {
  return { id: "site/s/device/d", etag: "", revision: 2, updated: "", created: "", document: { metadata: { name: "d" }, spec: parseExact(spec), status: undefined } };
}

const edit = (path: string, text: string, remove = false): FieldEdit => ({ path, text, remove });

describe("edits of fields", () => {
  test.each([
    { name: "numbers keep their digits", edits: [edit("spec.size", "12345678901234567890"), edit("spec.fine", "1.10")], want: '{"spec":{"size":12345678901234567890,"fine":1.10}}' },
    { name: "texts where the schema wants them", edits: [edit("spec.serial", "007")], want: '{"spec":{"serial":"007"}}' },
    { name: "an empty text where the schema wants one", edits: [edit("spec.serial", "")], want: '{"spec":{"serial":""}}' },
    { name: "YAML elsewhere", edits: [edit("spec.on", "true"), edit("spec.quoted", '"true"'), edit("spec.list", "[a, 1]"), edit("spec.map", "{a: {b: 2}}")], want: '{"spec":{"on":true,"quoted":"true","list":["a",1],"map":{"a":{"b":2}}}}' },
    { name: "a removal", edits: [edit("spec.old", "ignored", true)], want: '{"spec":{"old":null}}' },
    { name: "quoted members", edits: [edit('metadata.annotations["example.com/a.b"]', "x")], want: '{"metadata":{"annotations":{"example.com/a.b":"x"}}}' },
    { name: "a member that is called __proto__", edits: [edit("spec.__proto__.a", "1")], want: '{"spec":{"__proto__":{"a":1}}}' },
    { name: "a whole list", edits: [edit("spec.ports", "- {n: 1}")], want: '{"spec":{"ports":[{"n":1}]}}' },
  ])("are one patch: $name", ({ edits, want }) => {
    const patch = patchOf(kind, edits);
    expect("data" in patch && writeExact(patch.data)).toBe(want);
  });

  test.each([
    { name: "no path", edits: [edit(" ", "x")], want: { fault: "", at: 0 } },
    { name: "no value", edits: [edit("spec.size", " ")], want: { fault: "noValue", at: 0 } },
    { name: "null, which would remove it", edits: [edit("spec.size", "null")], want: { fault: "yaml", at: 0 } },
    { name: "broken YAML", edits: [edit("spec.a", "1"), edit("spec.size", "[")], want: { fault: "yaml", at: 1 } },
    { name: "two documents", edits: [edit("spec.size", "1\n---\n2")], want: { fault: "yaml", at: 0 } },
    { name: "an item", edits: [edit("spec.ports[0].n", "1")], want: { fault: "list", at: 0 } },
    { name: "every item", edits: [edit("spec.ports[*].n", "1")], want: { fault: "list", at: 0 } },
    { name: "the name", edits: [edit("metadata.name", "x")], want: { fault: "forbidden", at: 0 } },
    { name: "all metadata", edits: [edit("metadata", "{name: x}")], want: { fault: "forbidden", at: 0 } },
    { name: "the status", edits: [edit("status.state", "x")], want: { fault: "forbidden", at: 0 } },
    { name: "a field twice", edits: [edit("spec.a", "1"), edit("spec.a", "2")], want: { fault: "inside", at: 1 } },
    { name: "a field in another", edits: [edit("spec.a", "{b: 1}"), edit("spec.a.b", "2")], want: { fault: "inside", at: 1 } },
  ])("are refused: $name", ({ edits, want }) => expect(patchOf(kind, edits)).toEqual(want));
});

test("the fields that are offered are those of the schema and of the documents", () => {
  expect(pathsOf(kind, [row('{"size":1,"deep":{"a":1,"b c":2}}')])).toEqual(["spec.serial", "spec.tier", "spec.ports", "spec.size", "spec.deep.a", 'spec.deep["b c"]', "metadata.description"]);
});

test("the values that are offered are those of the schema and of the documents, without secrets", () => {
  const rows = [row('{"tier":"bronze","pin":"1234","size":1.10}'), row('{"tier":"gold","size":2}'), row('{"tier":"bronze"}')];
  expect(offersOf(kind, rows, "spec.tier")).toEqual(["gold", "silver", "bronze"]);
  expect(offersOf(kind, rows, "spec.size")).toEqual(["1.10", "2"]);
  expect(offersOf(kind, rows, "spec.pin")).toEqual([]);
});

test("the value before has dots for secrets", () => {
  expect(valueBefore(kind, row('{"pin":"1234"}'), "spec.pin")).toBe("••••••••");
  expect(valueBefore(kind, row("{}"), "spec.size")).toBeUndefined();
});
