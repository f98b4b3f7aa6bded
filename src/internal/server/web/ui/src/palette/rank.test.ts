import { expect, test } from "vitest";
import { rank, ranked } from "./rank";

test.each([
  { name: "the whole text", text: "Activity", query: "activity", want: 0 },
  { name: "its beginning", text: "Activity", query: "act", want: 1 },
  { name: "a word", text: "New cluster", query: "clu", want: 2 },
  { name: "a part", text: "deployPostfix", query: "post", want: 3 },
  { name: "letters in their order", text: "environment", query: "evm", want: 6 },
  { name: "several words", text: "New cluster", query: "clu new", want: 3 },
  { name: "letters in another order", text: "cluster", query: "sul", want: undefined },
  { name: "one word that does not fit", text: "New cluster", query: "new env", want: undefined },
])("$name", ({ text, query, want }) => expect(rank(text, query)).toBe(want));

test("best first", () => expect(ranked(["schema", "show", "Hash", "site", "sh"], "sh", (text) => text)).toEqual(["sh", "show", "Hash", "schema"]));
