import { describe, expect, test } from "vitest";
import { hintAt } from "../yaml/hints";
import { hintsOf, memberOf } from "./hints";
import type { ValueOrigin } from "./queries";

const rendered = `schema: example/Kind/v1
metadata:
  name: network
data:
  mtu: 9000
  tags:
    a: 1
    "x.y": {k: v}
  hosts:
    - one
    - name: two
`;

const at = (path: string): ValueOrigin => ({ path, value: 0, origin: { how: "data" } });

describe("the origins of a rendered document by their places", () => {
  const hints = hintsOf(rendered, [".", ".mtu", ".tags.a", ".tags.'x.y'.k", ".hosts[0]", ".hosts[1].name", ".never"].map(at), ({ path }) => [path]);

  test.each([
    { name: "the value itself", text: "9000", want: ".mtu" },
    { name: "the name of a member", text: "mtu", want: ".mtu" },
    { name: "deep down", text: "a: 1", want: ".tags.a" },
    { name: "a name with a dot", text: "v}", want: ".tags.'x.y'.k" },
    { name: "an item of a list", text: "one", want: ".hosts[0]" },
    { name: "a member of an item", text: "name: two", want: ".hosts[1].name" },
    { name: "a map without an origin of its own is of what it is in", text: "tags", want: "." },
    { name: "what is no data", text: "network", want: undefined },
  ])("$name", ({ text, want }) => expect(hintAt(hints, rendered.indexOf(text))?.lines[0]).toBe(want));

  test("what is no YAML has none", () => expect(hintsOf("{", [at(".")], () => ["x"])).toEqual([]));
});

test.each([
  { name: "a-b_1", want: ".a-b_1" },
  { name: "a.b", want: ".'a.b'" },
  { name: "it's", want: String.raw`.'it\'s'` },
  { name: "", want: ".''" },
])("a member $name", ({ name, want }) => expect(memberOf(name)).toBe(want));
