import { expect, test } from "vitest";
import type { Row } from "../api/queries";
import { parseExact } from "../model/exact";
import type { Kind } from "../model/kinds";
import { columnsOf, compareKeys, namesIn, shownColumns, sortText, sortingOf } from "./columns";
import { fieldsOf, labelsOf } from "./choices";
import { csvOf, yamlOf } from "./export";

const kind: Kind = {
  name: "device", key: ["site", "device"], keyId: "", definedAt: "", sensitive: { paths: ["/spec/pin"] },
  columns: [{ name: "Size", path: "spec.size", type: "integer" }, { name: "name", path: "spec.serial", type: "string" }, { name: "Until", path: "spec.until", type: "date", wide: true }, { name: "Pin", path: "spec.pin", type: "string" }],
};

function row(id: string, spec: string): Row {
  return { id, etag: "", revision: 2, updated: "2026-01-02T00:00:00Z", created: "2026-01-01T00:00:00Z", document: { metadata: {}, spec: parseExact(spec), status: undefined } };
}

const columns = columnsOf(kind, "site/s");

test("the columns of a kind, with names that none of the others has", () => {
  expect(columns.map(({ id, wide, numeric }) => `${id}${wide ? " wide" : ""}${numeric ? " numeric" : ""}`)).toEqual(["name", "Size numeric", "column.name", "Until wide", "Pin", "revision wide numeric", "updated wide", "created wide"]);
});

test("who changed a document last is a column where the server knows that, by which nothing is sorted", () => {
  const known = columnsOf(kind, "site/s", true);
  expect(known.map(({ id }) => id)).toEqual(["name", "Size", "column.name", "Until", "Pin", "revision", "updated", "by", "created"]);
  expect([sortingOf("by", known), sortingOf("-by", known)]).toEqual([[], []]);
});

test.each([
  { name: "none that is wide", search: {}, want: ["name", "Size", "column.name", "Pin"] },
  { name: "all", search: { wide: "true" }, want: ["name", "Size", "column.name", "Until", "Pin", "revision", "updated", "created"] },
  { name: "those of the address, after the name", search: { columns: "updated,Size" }, want: ["name", "updated", "Size"] },
  { name: "fields, in quotes those with commas", search: { columns: 'spec.rack, spec["a,b"],name,spec.rack', wide: "true" }, want: ["spec.rack", 'spec["a,b"]', "name"] },
])("the columns that are shown: $name", ({ search, want }) => expect(shownColumns(kind, columns, search).map(({ id }) => id)).toEqual(want));

test("a column of a field is sorted by its values, without secrets", () => {
  const [, rack, pin] = shownColumns(kind, columns, { columns: "spec.rack,spec.pin" });
  const one = row("site/s/device/d", '{"rack":7,"pin":"1234"}');
  expect([rack?.sortKey(one), pin?.sortKey(one)]).toEqual([7, "••••••••"]);
  expect(namesIn(undefined)).toEqual([]);
});

test.each([
  { name: "a column", text: "Size", want: [{ id: "Size", desc: false }] },
  { name: "the other way round", text: "-Size", want: [{ id: "Size", desc: true }] },
  { name: "no column", text: "-Weight", want: [] },
  { name: "nothing", text: undefined, want: [] },
])("sorted by $name", ({ text, want }) => {
  expect(sortingOf(text, columns)).toEqual(want);
  if (want.length > 0) expect(sortText(want)).toBe(text);
});

test.each([
  { name: "name", spec: "{}", want: "a/b" },
  { name: "Size", spec: '{"size":12}', want: 12 },
  { name: "Size", spec: "{}", want: undefined },
  { name: "Until", spec: '{"until":"2026-01-01"}', want: Date.parse("2026-01-01") },
])("the key of $name in $spec", ({ name, spec, want }) => expect(columns.find(({ id }) => id === name)?.sortKey(row("site/s/rack/a/device/b", spec))).toBe(want));

test("numbers in texts are sorted by their values", () => expect(["n-10", "n-2", "N-1"].sort(compareKeys)).toEqual(["N-1", "n-2", "n-10"]));

test("CSV has what is quoted, no formulas, and no secrets", () => {
  const text = csvOf(kind, [row("site/s/device/d", '{"size":12345678901234567890,"serial":"a,\\"b\\"","pin":"1234"}'), row("site/s/device/e", '{"size":-1,"serial":"=HYPERLINK()"}')]);
  expect(text).toBe('id,Size,name,Until,Pin,revision,updated,created\r\nsite/s/device/d,12345678901234567890,"a,""b""",,••••••••,2,2026-01-02T00:00:00Z,2026-01-01T00:00:00Z\r\nsite/s/device/e,-1,\'=HYPERLINK(),,,2,2026-01-02T00:00:00Z,2026-01-01T00:00:00Z\r\n');
});

test("CSV has the columns of fields that are shown", () => {
  const [, ...others] = shownColumns(kind, columns, { columns: "spec.rack" });
  expect(csvOf(kind, [row("site/s/device/d", '{"rack":7}')], others.flatMap(({ own }) => own ?? [])).split("\r\n").slice(0, 2)).toEqual(["id,Size,name,Until,Pin,spec.rack,revision,updated,created", "site/s/device/d,,,,,7,2,2026-01-02T00:00:00Z,2026-01-01T00:00:00Z"]);
});

test("YAML has manifests with all digits", () => {
  const rows = [row("site/s/device/d", '{"size":12345678901234567890,"fine":1.10}'), row("site/s/device/a%2Fb", '{"text":"12"}')];
  expect(yamlOf(kind, rows)).toBe('kind: device\nkey:\n  site: s\n  device: d\ndata:\n  metadata: {}\n  spec:\n    size: 12345678901234567890\n    fine: 1.10\n---\nkind: device\nkey:\n  site: s\n  device: a/b\ndata:\n  metadata: {}\n  spec:\n    text: "12"\n');
});

test("selectors for the values of columns and of the spec, without secrets", () => {
  const rows = [row("site/s/device/d", '{"size":12,"serial":"a, b","pin":"1234","on":true}'), row("site/s/device/e", '{"size":12,"serial":"c","deep":{"a":1}}')];
  expect(fieldsOf(kind, rows)).toEqual(["spec.size=12", "spec.serial=a\\,\\ b", "spec.on=true", "spec.serial=c"]);
});

test("selectors for labels, those of most rows first", () => {
  const labelled = (labels: object): Row => ({ ...row("site/s/device/d", "{}"), document: { metadata: { labels } } });
  expect(labelsOf([labelled({ a: "1", b: "2" }), labelled({ b: "2" }), row("site/s/device/e", "{}")])).toEqual(["b=2", "a=1"]);
});
