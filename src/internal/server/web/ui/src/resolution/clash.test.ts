import { describe, expect, test } from "vitest";
import { clashPicture, indexesOf, lineOf } from "./clash";

describe("the picture of a clash", () => {
  const constraints = ['required("log")', 'required("ui")', { prohibited: { name: "db", versionRange: ">=13" } }];
  const none = { noMatch: [], message: "", fixes: [] };

  test("constraints, the packages where they meet, and what leads from one to the other", () => {
    const facts = [
      { package: "ui", text: "every version of ui needs api ^2" },
      { package: "api", text: "api 2.0.0 needs db >=13" },
      { package: "db", text: "only one version of db can be selected" },
    ];
    const { nodes, edges } = clashPicture({ ...none, core: [1, 2], packages: ["api", "db", "ui"], facts }, constraints);
    expect(nodes.map(({ id, title, note }) => [id, title, note])).toEqual([
      ["constraint 1", 'required("ui")', "[1]"],
      ["constraint 2", '{"prohibited":{"name":"db","versionRange":">=13"}}', "[2]"],
      ["api", "api", ""],
      ["db", "db", "only one version of db can be selected"],
      ["ui", "ui", ""],
    ]);
    expect(edges.map(({ from, to }) => `${from} > ${to}`)).toEqual(["ui > api", "api > db", "constraint 1 > ui", "constraint 2 > db"]);
  });

  test("names within names are not meant, and signs in names are no patterns", () => {
    const facts = [{ package: "a", text: "a needs a-b and (x+) 1" }];
    const { edges } = clashPicture({ ...none, core: [], packages: ["a", "a-b", "b", "(x+)"], facts }, []);
    expect(edges.map(({ to }) => to)).toEqual(["a-b", "(x+)"]);
  });

  test("what nothing fulfils says where it ends", () => {
    const { nodes } = clashPicture({ ...none, core: [0], packages: [], facts: [], noMatch: [{ constraint: 0, stage: "channel" }] }, constraints);
    expect(nodes.map(({ note }) => note)).toEqual(["channel"]);
  });
});

test.each([
  { name: "none", text: "none", want: [] },
  { name: "some", text: "3,1,1", want: [1, 3] },
  { name: "too large, and nonsense", text: "9,-1,x,2", want: [2] },
])("indexes of an address: $name", ({ text, want }) => expect(indexesOf(text, 5)).toEqual(want));

test("a constraint is a line", () => expect([lineOf('any("a")'), lineOf({ all: [] }), lineOf(undefined)]).toEqual(['any("a")', '{"all":[]}', "null"]));
