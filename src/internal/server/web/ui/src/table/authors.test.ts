import { expect, test } from "vitest";
import { authorsOf } from "./authors";

test.each([
  { name: "of what is stored", items: [{ id: "a/1", version: "u-2", principal: "ann" }], want: "ann" },
  { name: "that the server does not know", items: [{ id: "a/1", version: "u-2" }], want: "" },
  { name: "of another version", items: [{ id: "a/1", version: "u-3", principal: "ann" }], want: null },
  { name: "of another document", items: [{ id: "a/2", version: "u-2", principal: "ann" }], want: null },
  { name: "of none that may be read", items: [], want: null },
])("the author $name", ({ items, want }) => expect(authorsOf([{ id: "a/1", etag: '"u-2"' }], { items })).toEqual(new Map([['"u-2"', want]])));
