import { expect, test } from "vitest";
import { Model, type Kind } from "../model/kinds";
import { clashOf, movesOf, parentsOf } from "./move";

const kind = (name: string, key: string[], more: Partial<Kind> = {}): Kind => ({ name, key, keyId: "", definedAt: "", ...more });
const rack = kind("rack", ["site", "room", "rack"], { parent: "site" });
const model = new Model({ hash: "", sources: [], kinds: [kind("site", ["site"], { children: ["rack"] }), rack] });

test("the kinds that documents can be below", () => expect(parentsOf(model, rack).map(({ name }) => name)).toEqual(["site"]));

test("what is there already does not move, and the own part of a key stays", () => {
  expect(movesOf(model, ["site/a/room/1/rack/x", "site/b/room/1/rack/y"], "site/b")).toEqual([{ from: "site/a/room/1/rack/x", to: "site/b/room/1/rack/x" }]);
});

test("two that would have one id", () => {
  expect(clashOf(movesOf(model, ["site/a/room/1/rack/x", "site/b/room/1/rack/x"], "site/c"))).toBe("site/c/room/1/rack/x");
  expect(clashOf(movesOf(model, ["site/a/room/1/rack/x", "site/b/room/2/rack/x"], "site/c"))).toBeUndefined();
});
