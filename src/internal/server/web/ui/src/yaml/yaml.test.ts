import { describe, expect, test } from "vitest";
import { withoutStatus } from "../api/documents";
import { contextAt, offersAt } from "./context";
import { serverMarks, syntaxMarks } from "./diagnostics";
import { merge, withValue } from "./merge";

/** Takes the cursor, |, out of a text. */
function cursor(text: string): [string, number] {
  const at = text.indexOf("|");
  return [text.slice(0, at) + text.slice(at + 1), at];
}

describe("where the cursor is", () => {
  test.each([
    { name: "at the top", text: "me|", want: { path: [], writes: "name", word: "me", siblings: [] } },
    { name: "a name in a map", text: "metadata:\n  name: x\n  de|\nspec:\n  a: 1\n", want: { path: ["metadata"], writes: "name", word: "de", siblings: ["name"] } },
    { name: "a name before others", text: "spec:\n  |\n  a: 1\n  b:\n    c: 2\n", want: { path: ["spec"], writes: "name", word: "", siblings: ["a", "b"] } },
    { name: "a value", text: "spec:\n  mode: ba|", want: { path: ["spec", "mode"], writes: "value", word: "ba", siblings: [] } },
    { name: "in the second item of a list", text: "spec:\n  items:\n    - name: a\n    - name: b\n      ty|", want: { path: ["spec", "items", 1], writes: "name", word: "ty", siblings: ["name"] } },
    { name: "a list that is not indented", text: "items:\n- name: a\n- na|", want: { path: ["items", 1], writes: "name", word: "na", siblings: [] } },
    { name: "after a list", text: "spec:\n  items:\n  - name: a\n  mo|", want: { path: ["spec"], writes: "name", word: "mo", siblings: ["items"] } },
  ])("$name", ({ text, want }) => {
    expect(contextAt(...cursor(text))).toEqual(want);
  });

  const schema = { properties: { spec: { type: "object", required: ["mode"], properties: { mode: { type: "string", enum: ["full", "delta"] }, on: { type: "boolean" } } } } };
  test.each([
    { name: "names that are not there yet", text: "spec:\n  on: true\n  |", want: ["mode: "] },
    { name: "maps", text: "|", want: ["spec:"] },
    { name: "values", text: "spec:\n  mode: |", want: ["full", "delta"] },
    { name: "true and false", text: "spec:\n  on: |", want: ["true", "false"] },
    { name: "nothing where nothing is known", text: "other:\n  |", want: [] },
  ])("offers $name", ({ text, want }) => {
    expect(offersAt(schema, ...cursor(text)).map((offer) => offer.insert)).toEqual(want);
  });
});

describe("marks", () => {
  test("syntax", () => {
    expect(syntaxMarks("a: 1\n")).toEqual([]);
    const marks = syntaxMarks("a: [1\n");
    expect(marks.length).toBeGreaterThan(0);
  });

  const problem = { type: "about:blank", title: "", status: 422, code: "unprocessable", detail: "bad" };
  const text = "metadata:\n  name: x\nspec:\n  a: 12\n";
  test.each([
    { name: "by path", errors: [{ code: "invalid", message: "m", path: "/spec/a" }], want: [text.indexOf("12"), "m"] },
    { name: "by the nearest path", errors: [{ code: "invalid", message: "m", path: "/metadata/none" }], want: [text.indexOf("name"), "m"] },
    { name: "by line and column", errors: [{ code: "invalid", message: "m", line: 2, column: 3 }], want: [text.indexOf("name"), "m"] },
    { name: "a line that is not there", errors: [{ code: "invalid", message: "m", line: 99, column: 3 }], want: [2, "m"] },
    { name: "none", errors: [], want: [0, "bad"] },
    { name: "with a remedy", errors: [{ code: "invalid", message: "m", remedy: "do" }], want: [0, "m — do"] },
  ])("of the server $name", ({ errors, want }) => {
    expect(serverMarks(text, { ...problem, errors }).map((mark) => [mark.from, mark.message])).toEqual([want]);
  });
});

describe("the merge of two changes", () => {
  const base = "a: 1\nm:\n  x: 1\n  y: 1\nlist:\n- 1\n";
  test.each([
    { name: "no change", yours: base, theirs: base, text: base, conflicts: [] },
    { name: "different members", yours: base.replace("x: 1", "x: 2"), theirs: base.replace("y: 1", "y: 3"), text: base.replace("x: 1", "x: 2").replace("y: 1", "y: 3"), conflicts: [] },
    { name: "the same change", yours: base.replace("a: 1", "a: 5"), theirs: base.replace("a: 1", "a: 5"), text: base.replace("a: 1", "a: 5"), conflicts: [] },
    { name: "they added and removed", yours: base.replace("a: 1", "a: 2"), theirs: base.replace("  y: 1\n", "") + "n: 1\n", text: base.replace("a: 1", "a: 2").replace("  y: 1\n", "") + "n: 1\n", conflicts: [] },
    { name: "a clash stays yours", yours: base.replace("a: 1", "a: 2"), theirs: base.replace("a: 1", "a: 3"), text: base.replace("a: 1", "a: 2"), conflicts: [{ path: ["a"], before: 1n, yours: 2n, theirs: 3n }] },
    { name: "lists are taken whole", yours: base.replace("- 1", "- 2"), theirs: base.replace("- 1", "- 3"), text: base.replace("- 1", "- 2"), conflicts: [{ path: ["list"], before: [1n], yours: [2n], theirs: [3n] }] },
    { name: "removed here, changed there", yours: base.replace("a: 1\n", ""), theirs: base.replace("a: 1", "a: 3"), text: base.replace("a: 1\n", ""), conflicts: [{ path: ["a"], before: 1n, yours: undefined, theirs: 3n }] },
    { name: "digits are kept", yours: base.replace("a: 1", "a: 12345678901234567890"), theirs: base.replace("y: 1", "y: 98765432109876543210"), text: base.replace("a: 1", "a: 12345678901234567890").replace("y: 1", "y: 98765432109876543210"), conflicts: [] },
    { name: "a member called __proto__", yours: `${base}z: 1\n`, theirs: `${base}"__proto__": 1\n`, text: `${base}z: 1\n__proto__: 1\n`, conflicts: [] },
  ])("$name", ({ yours, theirs, text, conflicts }) => {
    expect(merge(base, yours, theirs)).toEqual({ text, conflicts });
  });

  test("a value is put, or taken away", () => {
    expect(withValue(base, ["m", "x"], 7n)).toBe(base.replace("x: 1", "x: 7"));
    expect(withValue(base, ["a"], undefined)).toBe(base.replace("a: 1\n", ""));
    expect(withValue("{}\n", ["a", "b"], "c")).toContain("c");
  });
});

test.each([
  { name: "at the end", text: "a: 1\nstatus:\n  phase: x\n", want: "a: 1\n" },
  { name: "a member of the data has the name, too", text: "spec:\n  status: 1\nstatus: {}\n", want: "spec:\n  status: 1\n" },
  { name: "nothing else", text: "status:\n  phase: x\n", want: "{}\n" },
])("the status is cut off: $name", ({ text, want }) => {
  expect(withoutStatus(text)).toBe(want);
});
