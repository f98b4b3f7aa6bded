import { describe, expect, test } from "vitest";
import { arrowsOf, cardId, columnsOf, relatives } from "./board";
import type { LayeredId, Origins } from "./queries";

const id = (name: string, layer?: string): LayeredId => ({ schema: "s/K/v1", name, ...(layer && { layer }) });
const made = (document: LayeredId, parents: LayeredId[] = [], sources: LayeredId[] = []): Origins => ({ document, bucket: "b", parents, sources });

const base = id("base", "global");
const north = id("north", "region");
const site = id("network", "site");
const secret = id("secret", "site");
const all = [made(id("policy")), made(id("alone", "global")), made(base), made(north, [base]), made(secret), made(site, [north, base], [secret]), made(id("other", "site"), [id("unseen", "region")])];

describe("columns", () => {
  const columns = columnsOf(all, ["global", "region", "site"]);

  test("are the layers, then what has none; connected documents come first", () => {
    expect(columns.map(({ layer, cards }) => [layer, cards.map((card) => card.of.document.name)])).toEqual([["global", ["base", "alone"]], ["region", ["north"]], ["site", ["network", "other", "secret"]], ["", ["policy"]]]);
  });

  test("children stand in the order of their parents", () => {
    const two = columnsOf([made(id("a", "global")), made(id("b", "global")), made(id("x", "site"), [id("b", "global")]), made(id("y", "site"), [id("a", "global")])], ["global", "site"]);
    expect(two[1]?.cards.map((card) => card.of.document.name)).toEqual(["y", "x"]);
  });

  test.each([
    { name: "a child", of: site, want: [base, north, secret, site] },
    { name: "a parent", of: base, want: [base, north, site] },
    { name: "a source", of: secret, want: [secret, site] },
    { name: "one that is alone", of: id("alone", "global"), want: [id("alone", "global")] },
  ])("relatives of $name", ({ of, want }) => {
    expect([...relatives(columns, cardId(of))].sort()).toEqual(want.map(cardId).sort());
  });

  test("arrows lead to the nearest parent, of those in focus also to sources, and never to what is not there", () => {
    expect(arrowsOf(columns).map(({ from, to }) => [from, to])).toEqual([[cardId(north), cardId(base)], [cardId(site), cardId(north)]]);
    expect(arrowsOf(columns, new Set([cardId(site), cardId(secret)]))).toEqual([{ from: cardId(site), to: cardId(secret), kind: "source" }]);
  });

  test("circles end", () => {
    const a = id("a", "x");
    const b = id("b", "x");
    expect(relatives(columnsOf([made(a, [], [b]), made(b, [], [a])], ["x"]), cardId(a)).size).toBe(2);
  });
});
