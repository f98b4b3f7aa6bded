import { describe, expect, test } from "vitest";
import { isNode } from "yaml";
import { readYaml } from "../yaml/merge";
import { choiceOf, effectiveTarget, overrideTarget } from "./place";
import { NoValue, compareRows, lineOf, namesOf, pointerOf, put, rowsOf, take, valueOf } from "./rows";

const rows = (text: string) => rowsOf(readYaml(text).contents);

describe("what an address is about", () => {
  const here = { cluster: "c", environment: "e", namespace: "n", application: "a" };
  const all = { environmentId: "c/e", namespaceName: "n", applicationName: "a" };
  test.each([
    { name: "environment", search: here, override: { environmentId: "c/e", context: "deploy" }, effective: { ...all, context: "deploy" } },
    { name: "namespace", search: { ...here, level: "namespace" }, override: { environmentId: "c/e", context: "deploy", namespaceName: "n" }, effective: { ...all, context: "deploy" } },
    { name: "application", search: { ...here, level: "application", context: "runtime" }, override: { ...all, context: "runtime" }, effective: { ...all, context: "runtime" } },
    { name: "pipelines know no applications", search: { ...here, level: "application", context: "pipeline" }, override: { environmentId: "c/e", context: "pipeline" }, effective: { environmentId: "c/e", context: "pipeline" } },
    { name: "no namespace", search: { cluster: "c", environment: "e", level: "namespace" }, override: undefined, effective: undefined },
    { name: "no environment", search: { cluster: "c" }, override: undefined, effective: undefined },
    { name: "nonsense", search: { ...here, context: "x", level: "y" }, override: { environmentId: "c/e", context: "deploy" }, effective: { ...all, context: "deploy" } },
  ])("$name", ({ search, override, effective }) => {
    const choice = choiceOf(search);
    expect({ override: overrideTarget(choice), effective: effectiveTarget(choice) }).toEqual({ override, effective });
  });
});

describe("what a field means", () => {
  test.each([
    { name: "text", written: "info", line: "info" },
    { name: "number", written: "3", line: "3" },
    { name: "number with all its digits", written: "12345678901234567890", line: "12345678901234567890" },
    { name: "number as it is written", written: "1.10", line: "1.10" },
    { name: "boolean", written: "true", line: "true" },
    { name: "null", written: "null", line: "null" },
    { name: "number as text", written: '"3"', line: '"3"' },
    { name: "map", written: "{a: 1}", line: "{a: 1}" },
    { name: "list", written: "[1, b]", line: "[1, b]" },
    { name: "nothing", written: "", line: '""' },
    { name: "macro", written: "${creds.get('db').password}", line: "${creds.get('db').password}" },
    { name: "colon", written: "a: b", line: "a: b" },
    { name: "hash", written: "#fff", line: "#fff" },
    { name: "hash in the middle", written: "a #b", line: "a #b" },
    { name: "dash", written: "- a", line: "- a" },
    { name: "anchor", written: "&a b", line: "&a b" },
    { name: "tag", written: "!!int 3", line: "!!int 3" },
    { name: "lines", written: '"a\\nb"', line: '"a\\nb"' },
    { name: "HTML", written: "<b>", line: "<b>" },
  ])("$name", ({ written, line }) => {
    const value = valueOf(written);
    expect(lineOf(isNode(value) ? value : (readYaml("").createNode(value) as Parameters<typeof lineOf>[0]))).toBe(line);
  });

  test.each(["{a", '"a', "[1, 2", "'"])("%s is not whole", (written) => expect(() => valueOf(written)).toThrow(NoValue));
});

test("values are listed where they are, with maps opened and lists whole", () => {
  const text = "a.b: 1\nmap:\n  x: {}\n  y:\n    - 1\n    - k: v\nnothing:\n/~: t\n";
  expect(rows(text).map(({ pointer, text: value }) => [pointer, value])).toEqual([
    ["/a.b", "1"], ["/map/x", "{}"], ["/map/y", "[1, {k: v}]"], ["/nothing", "null"], ["/~1~0", "t"],
  ]);
  expect(rows("{}")).toEqual([]);
});

test.each([{ name: "plain", path: ["a", "b"] }, { name: "escaped", path: ["a/b", "~1", ""] }])("pointers: $name", ({ path }) => expect(namesOf(pointerOf(path))).toEqual(path));

describe("changes of a text", () => {
  test.each([
    { name: "add", make: (text: string) => put(text, ["c"], 3), want: "a: 1 # one\nb:\n  x: 1.10\nc: 3\n" },
    { name: "change deep down", make: (text: string) => put(text, ["b", "x"], "t"), want: "a: 1 # one\nb:\n  x: t\n" },
    { name: "make a map of a value", make: (text: string) => put(text, ["a", "k"], 1), want: "a:\n  k: 1\nb:\n  x: 1.10\n" },
    { name: "remove", make: (text: string) => take(text, ["a"]), want: "b:\n  x: 1.10\n" },
    { name: "remove what was all of a map", make: (text: string) => take(text, ["b", "x"]), want: "a: 1 # one\n" },
    { name: "remove all", make: (text: string) => take(take(text, ["a"]), ["b", "x"]), want: "{}\n" },
    { name: "begin", make: () => put("{}\n", ["a", "b"], 1), want: "a:\n  b: 1\n" },
  ])("$name", ({ make, want }) => expect(make("a: 1 # one\nb:\n  x: 1.10\n")).toBe(want));
});

test("what is before and after is compared value by value", () => {
  const compared = compareRows(rows("a: 1\nb: 1\nc: 1\nd: {x: 1}\n"), rows("a: 1\nc: 2\nd: 5\ne: 1\n"));
  expect(compared.map(({ pointer, before, after, change }) => `${pointer} ${before} ${after} ${change}`)).toEqual([
    "/a 1 1 same", "/b 1 undefined removed", "/c 1 2 changed", "/d undefined 5 added", "/e undefined 1 added", "/d/x 1 undefined removed",
  ]);
});
