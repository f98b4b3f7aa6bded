import { describe, expect, test } from "vitest";
import { messageHeader } from "../api/client";
import { choose, isoOf, keyOf, localOf, revisionOf } from "./choice";
import type { Op, Version } from "./queries";

const version = (op: Op, revision: number, position?: string): Version => ({ op, version: `8f1c-${revision}`, position });

const deleted = version("deleted", 3, "p4");
const third = version("updated", 3, "p3");
const second = version("updated", 2, "p2");
const first = version("created", 1, "p1");
const all = [deleted, third, second, first];

describe("the versions that are compared", () => {
  test.each([
    { name: "the newest and the one before", versions: all, more: false, want: { after: deleted, before: third } },
    { name: "the named one and the one before", versions: all, more: false, at: "p3", want: { after: third, before: second } },
    { name: "two named ones", versions: all, more: false, at: "p3", before: "p1", want: { after: third, before: first } },
    { name: "a creation has nothing before", versions: all, more: false, at: "p1", want: { after: first } },
    { name: "one created again neither", versions: [version("created", 1, "p5"), ...all], more: false, want: { after: version("created", 1, "p5") } },
    { name: "one that is not loaded yet", versions: all.slice(0, 2), more: true, at: "p2", want: undefined },
    { name: "the one before is not loaded yet", versions: all.slice(0, 2), more: true, at: "p3", want: undefined },
    { name: "a named one before is not loaded yet", versions: all.slice(0, 2), more: true, before: "p1", want: undefined },
    { name: "the one before is no longer kept", versions: [third], more: false, want: { after: third, before: undefined } },
    { name: "one that there is not", versions: all, more: false, at: "p9", want: { after: deleted, before: third } },
    { name: "one older than the history, by its version", versions: [second, version("created", 1)], more: false, at: "8f1c-1", want: { after: version("created", 1) } },
    { name: "none", versions: [], more: false, want: undefined },
  ])("$name", ({ versions, more, at, before, want }) => {
    expect(choose(versions, more, at, before)).toEqual(want);
  });

  test("a deletion is another one than the state that it ended", () => {
    expect(new Set(all.map(keyOf)).size).toBe(all.length);
    expect(revisionOf(third)).toBe(3);
  });
});

test.each([
  { name: "none", message: "  ", want: undefined },
  { name: "ASCII", message: " more memory ", want: "more memory" },
  { name: "UTF-8, byte by byte", message: "ж€", want: "\u00d0\u00b6\u00e2\u0082\u00ac" },
])("the header of a message: $name", ({ message, want }) => {
  expect(messageHeader(message)["Dovetail-Message"]).toBe(want);
});

test("times go between an input and the server", () => {
  expect(isoOf("")).toBeUndefined();
  expect(isoOf("yesterday")).toBeUndefined();
  expect(localOf(undefined)).toBe("");
  expect(localOf(isoOf("2026-11-22T12:30"))).toBe("2026-11-22T12:30");
});
