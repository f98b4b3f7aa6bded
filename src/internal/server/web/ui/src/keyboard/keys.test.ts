import { expect, test } from "vitest";
import { Sequence, keyOf } from "./keys";

const plain = { ctrlKey: false, metaKey: false, altKey: false };

test.each([
  { name: "a letter", press: { ...plain, key: "j", code: "KeyJ" }, want: "j" },
  { name: "a letter where another is printed", press: { ...plain, key: "j", code: "KeyC" }, want: "j" },
  { name: "a Russian letter", press: { ...plain, key: "о", code: "KeyJ" }, want: "j" },
  { name: "a Russian letter on a key without a Latin one", press: { ...plain, key: "ж", code: "Semicolon" }, want: "ж" },
  { name: "a sign", press: { ...plain, key: "?", code: "Slash" }, want: "?" },
  { name: "a key with a name", press: { ...plain, key: "Enter", code: "Enter" }, want: "Enter" },
  { name: "with Ctrl", press: { ...plain, ctrlKey: true, key: "k", code: "KeyK" }, want: "" },
  { name: "with Cmd", press: { ...plain, metaKey: true, key: "k", code: "KeyK" }, want: "" },
])("$name", ({ press, want }) => {
  expect(keyOf(press)).toBe(want);
});

const shortcuts = ["e", "h", "g h", "g e", "?"];

test.each([
  { name: "one key", keys: [["e", 0]], want: ["e"] },
  { name: "one after the other", keys: [["g", 0], ["h", 300]], want: [undefined, "g h"] },
  { name: "the second one late", keys: [["g", 0], ["h", 2_000]], want: [undefined, "h"] },
  { name: "the first one twice", keys: [["g", 0], ["g", 100], ["e", 200]], want: [undefined, undefined, "g e"] },
  { name: "a second one that ends nothing", keys: [["g", 0], ["x", 100], ["h", 200]], want: [undefined, undefined, "h"] },
  { name: "a key of a shortcut after the first of another", keys: [["g", 0], ["?", 100]], want: [undefined, "?"] },
  { name: "none", keys: [["x", 0]], want: [undefined] },
] as { name: string; keys: [string, number][]; want: (string | undefined)[] }[])("keys one after the other: $name", ({ keys, want }) => {
  const sequence = new Sequence();
  expect(keys.map(([key, at]) => sequence.read(key, shortcuts, at))).toEqual(want);
});
