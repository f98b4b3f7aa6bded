import { describe, expect, test } from "vitest";
import { ApiError } from "../api/problem";
import { faultsOf, isManifest, joinFiles } from "./folder";

describe("the files of a folder", () => {
  test.each([
    { name: "a.yaml", want: true },
    { name: "deep/er/a.yml", want: true },
    { name: "a.json", want: true },
    { name: ".hidden.yaml", want: false },
    { name: "deep/.hidden.yaml", want: false },
    { name: "a.yaml.orig", want: false },
    { name: "README.md", want: false },
  ])("$name: $want", ({ name, want }) => expect(isManifest(name)).toBe(want));

  const files = [{ name: "a.yaml", text: "kind: a\nmetadata: {}" }, { name: "b/c.json", text: "{\n}\n" }, { name: "empty.yaml", text: "" }, { name: "d.yaml", text: "kind: d\n" }];

  test("are one text, of which each begins a document", () => {
    expect(joinFiles(files).text).toBe("---\nkind: a\nmetadata: {}\n---\n{\n}\n---\n\n---\nkind: d\n");
  });

  test.each([
    { name: "the first line", line: 2, want: "a.yaml:1:3" },
    { name: "the last line of a file without its end", line: 3, want: "a.yaml:2:3" },
    { name: "a file in a folder", line: 6, want: "b/c.json:2:3" },
    { name: "after an empty file", line: 10, want: "d.yaml:1:3" },
  ])("have the places of what is wrong: $name", ({ line, want }) => {
    const error = new ApiError({ type: "about:blank", title: "", status: 400, code: "invalid", detail: "no", errors: [{ code: "invalid", message: "no", line, column: 3 }] });
    expect(faultsOf(joinFiles(files), error)).toEqual([{ place: want, message: "no", remedy: undefined }]);
  });

  test("have none where the server names none", () => expect(faultsOf(joinFiles(files), new Error("gone"))).toEqual([]));
});
