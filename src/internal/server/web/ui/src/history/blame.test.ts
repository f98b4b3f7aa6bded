import { expect, test } from "vitest";
import { Origins, blocksOf, changedPaths, placesOf } from "./blame";

const text = `metadata:
  name: shop
spec:
  replicas: 3
  hosts:
  - name: a
    port: 1
  - name: b
    port: 2
  note: |
    two
    lines
  both: {x: 1, y: 2}
`;

/** Versions by the paths that they changed, newest first, as "version: lines". */
function blamed(...versions: string[][]): string[] {
  const origins = new Origins();
  for (const [i, paths] of versions.entries()) origins.add(i, paths);
  return blocksOf(text, placesOf(text), origins).map(({ version, first, lines }) => `${version}: ${lines.length === 1 ? first : `${first}-${first + lines.length - 1}`}`);
}

test.each([
  { name: "one version", versions: [[""]], want: ["0: 1-13"] },
  { name: "a value", versions: [["/spec/replicas"], [""]], want: ["1: 1-3", "0: 4", "1: 5-13"] },
  { name: "the newest of two", versions: [["/spec/replicas"], ["/spec/replicas"], [""]], want: ["2: 1-3", "0: 4", "2: 5-13"] },
  { name: "a list as a whole, and an item of it later", versions: [["/spec/hosts/1/port"], ["/spec/hosts"], [""]], want: ["2: 1-4", "1: 5-8", "0: 9", "2: 10-13"] },
  { name: "a first member of an item has the item's line", versions: [["/spec/hosts/0/name"], [""]], want: ["1: 1-5", "0: 6", "1: 7-13"] },
  { name: "a text of several lines", versions: [["/spec/note"], [""]], want: ["1: 1-9", "0: 10-12", "1: 13"] },
  { name: "one of two values on a line", versions: [["/spec/both/x"], [""]], want: ["1: 1-12", "0: 13"] },
  { name: "a value below one that was changed, too", versions: [["/spec"], [""]], want: ["1: 1-2", "0: 3-13"] },
  { name: "older than what is known", versions: [["/spec/replicas"]], want: ["-1: 1-3", "0: 4", "-1: 5-13"] },
])("lines of $name", ({ versions, want }) => expect(blamed(...versions)).toEqual(want));

test.each([
  { name: "nothing", before: "{a: 1}", after: "{a: 1}", want: [] },
  { name: "members", before: "{a: 1, b: 1, c: {d: 1}}", after: "{a: 2, c: {d: 1, e: 2}}", want: ["/a", "/b", "/c/e"] },
  { name: "an item", before: "{a: [1, 2]}", after: "{a: [1, 3]}", want: ["/a/1"] },
  { name: "a longer list", before: "{a: [1, 2]}", after: "{a: [1, 2, 3]}", want: ["/a"] },
  { name: "names with slashes", before: "{'a/b~': 1}", after: "{'a/b~': 2}", want: ["/a~1b~0"] },
  { name: "another sort of value", before: "{a: {b: 1}}", after: "{a: [1]}", want: ["/a"] },
  { name: "long numbers", before: "{a: 12345678901234567890}", after: "{a: 12345678901234567891}", want: ["/a"] },
])("differences: $name", ({ before, after, want }) => expect(changedPaths(before, after)).toEqual(want));
