import { expect, test } from "vitest";
import { byDocument } from "./scrub";

test("findings of a document stand together, without its id before each", () => {
  const findings = [
    { problem: "invalid-data", id: "cluster/a", message: "cluster/a: /spec/size: must be integer" },
    { problem: "broken-rule", id: "cluster/ab", message: "cluster/ab: owners are missing" },
    { problem: "dangling-reference", id: "cluster/a", message: "cluster/a: it refers to cluster/b, which does not exist" },
    { problem: "index-missing", message: "the index of labels is damaged" },
  ];
  expect(byDocument(findings)).toEqual([
    { id: "cluster/a", messages: ["/spec/size: must be integer", "it refers to cluster/b, which does not exist"] },
    { id: "cluster/ab", messages: ["owners are missing"] },
    { id: "", messages: ["the index of labels is damaged"] },
  ]);
});
