import { describe, expect, test } from "vitest";
import { age, cellOf, type Column } from "./columns";
import { parseExact } from "./exact";
import { stepsOf } from "./paths";

describe("paths", () => {
  test.each([
    { name: "members", path: "spec.a-b", want: [{ name: "spec" }, { name: "a-b" }] },
    { name: "every item", path: "spec.ports[*].name", want: [{ name: "spec" }, { name: "ports" }, { name: "", each: "items" }, { name: "name" }] },
    { name: "every member", path: "spec.a.*", want: [{ name: "spec" }, { name: "a" }, { name: "", each: "members" }] },
    { name: "names in quotes", path: 'spec["a.b"]["c\\"]\\\\"].d', want: [{ name: "spec" }, { name: "a.b" }, { name: 'c"]\\' }, { name: "d" }] },
    { name: "a star in quotes is a name", path: 'spec["*"]', want: [{ name: "spec" }, { name: "*" }] },
  ])("$name", ({ path, want }) => {
    expect(stepsOf(path)).toEqual(want);
  });
});

const document = parseExact(`{
  "spec": {"big": 12345678901234567890, "half": 1.50, "on": true, "text": "a\\u001b[31m\\nb", "none": null, "map": {"n": 1.0, "x": [null, "y"]},
    "names": ["a", null, 2], "ends": {"rack": "r1", "port": "p1"}, "ports": [{"name": "x"}, {}, {"name": "y"}], "long": "${"é".repeat(120)}",
    "day": "2029-06-30", "time": "2026-03-01T10:00:00Z", "noDay": "30.6.2029"},
  "status": {"lifecycle": {"state": "Planned"}}
}`);

describe("cells", () => {
  test.each([
    { name: "all digits", path: "spec.big", type: "integer", want: "12345678901234567890" },
    { name: "a number as written", path: "spec.half", type: "number", want: "1.50" },
    { name: "no integer", path: "spec.half", type: "integer", want: "<invalid>" },
    { name: "a boolean", path: "spec.on", type: "boolean", want: "true" },
    { name: "no boolean", path: "spec.big", type: "boolean", want: "<invalid>" },
    { name: "control characters are blanks", path: "spec.text", type: "string", want: "a [31m b" },
    { name: "any value as text", path: "spec.map", type: "string", want: '{"n":1.0,"x":[null,"y"]}' },
    { name: "null", path: "spec.none", type: "string", want: "<none>" },
    { name: "absent", path: "spec.nothing.at.all", type: "date", want: "<none>" },
    { name: "a list", path: "spec.names", type: "string", want: "a,<none>,2" },
    { name: "members of a map", path: "spec.ends.*", type: "string", want: "r1,p1" },
    { name: "members of items", path: "spec.ports[*].name", type: "string", want: "x,y" },
    { name: "cut", path: "spec.long", type: "string", want: `${"é".repeat(99)}…` },
    { name: "a day to come", path: "spec.day", type: "date", want: "in 3y121d" },
    { name: "a time ago", path: "spec.time", type: "date", want: "120m" },
    { name: "no date", path: "spec.noDay", type: "date", want: "<invalid>" },
    { name: "the status", path: "status.lifecycle.state", type: "string", want: "Planned" },
  ])("$name", ({ path, type, want }) => {
    expect(cellOf({ name: "C", path, type: type as Column["type"] }, document, new Date("2026-03-01T12:00:04Z"))).toBe(want);
  });

  test.each([
    { seconds: 119, want: "119s" },
    { seconds: 125, want: "2m5s" },
    { seconds: 3600 * 3, want: "3h" },
    { seconds: 3600 * 4 + 60, want: "4h1m" },
    { seconds: 3600 * 47, want: "47h" },
    { seconds: 3600 * 49, want: "2d1h" },
    { seconds: 86400 * 100, want: "100d" },
    { seconds: 86400 * 3000, want: "8y" },
    { seconds: -86400 * 90, want: "in 90d" },
  ])("the age $want", ({ seconds, want }) => {
    expect(age(seconds)).toBe(want);
  });
});
