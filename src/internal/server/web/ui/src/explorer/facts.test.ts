import { describe, expect, test } from "vitest";
import { parseExact } from "../model/exact";
import { Model, type Kind } from "../model/kinds";
import { commandsOf, factsOf } from "./facts";

const kind = (more: Partial<Kind>): Kind => ({ name: "environment", key: ["cluster", "environment"], keyId: "{cluster,environment}", service: "inventory", parent: "cluster", definedAt: "", ...more });
const now = new Date("2026-05-20T12:00:00Z");

describe("facts", () => {
  test.each([
    { name: "columns come first, and once", kind: { columns: [{ name: "Type", path: "spec.type", type: "string" as const }, { name: "None", path: "spec.none", type: "string" as const }] }, json: '{"spec":{"size":2,"type":"dev"}}', want: [{ name: "Type", text: "dev" }, { name: "size", text: "2" }] },
    { name: "numbers keep all digits", kind: {}, json: '{"spec":{"big":12345678901234567890.10}}', want: [{ name: "big", text: "12345678901234567890.10" }] },
    { name: "lists and maps are counted", kind: {}, json: '{"spec":{"a":[1,2],"b":{"c":1}}}', want: [{ name: "a", members: 2 }, { name: "b", members: 1 }] },
    { name: "secrets are dots", kind: { sensitive: { paths: ["/spec/key"] } }, json: '{"spec":{"key":"hunter2"}}', want: [{ name: "key", text: "••••••••" }] },
    { name: "a document without a spec", kind: {}, json: '{"metadata":{"name":"x"}}', want: [] },
  ])("$name", ({ kind: more, json, want }) => expect(factsOf(kind(more), parseExact(json), now)).toEqual(want));
});

describe("commands", () => {
  const cluster = kind({ name: "cluster", key: ["cluster"], parent: undefined });
  const model = new Model({ hash: "", kinds: [cluster, kind({})], sources: [] });
  const kubectl = (of: Kind, id: string) => commandsOf(model, of, id, "/v2/x", "http://h").find(({ program }) => program === "kubectl")?.command;
  test.each([
    { name: "at the top", of: cluster, id: "cluster/c", want: "kubectl get cluster.inventory.dovetail.dev c -o yaml" },
    { name: "below another", of: kind({}), id: "cluster/c/environment/dev", want: "kubectl get environment.inventory.dovetail.dev dev -n c -o yaml" },
    { name: "a name that kubectl writes differently", of: cluster, id: "cluster/a%20b", want: undefined },
    { name: "what a service writes itself", of: kind({ managed: true }), id: "cluster/c/environment/dev", want: undefined },
  ])("kubectl, $name", ({ of, id, want }) => expect(kubectl(of, id)).toBe(want));
  test("a path with a quote is one word", () => expect(commandsOf(model, cluster, "cluster/c", "/v2/it's", "http://h")[0]?.command).toContain(`'http://h/v2/it'\\''s'`));
});
