import { expect, test } from "vitest";
import { occurrences } from "./occurrences";

const data = { metadata: { name: "a" }, spec: { DB_URL: "https://db.example.com", port: 5432, on: true, none: null, list: ["x", { note: "an EXAMPLE" }], example: { deep: 1 }, pin: "example" } };

test.each([
  { name: "values, in any case, and names", text: "Example", want: ["spec.DB_URL: https://db.example.com", "spec.list[1].note: an EXAMPLE", "spec.example"] },
  { name: "a name", text: "db_", want: ["spec.DB_URL: https://db.example.com"] },
  { name: "a number", text: "543", want: ["spec.port: 5432"] },
  { name: "null is no text", text: "null", want: [] },
  { name: "an index is no name", text: "1", want: ["spec.example.deep: 1"] },
  { name: "a name whose value is secret", text: "pin", want: ["spec.pin: ••••••••"] },
])("where a text occurs: $name", ({ text, want }) => expect(occurrences(data, text, { paths: ["/spec/pin"] })).toEqual(want));

test("long lines are cut", () => expect(occurrences({ spec: { a: "b".repeat(500) } }, "b", undefined)[0]).toHaveLength(160));
