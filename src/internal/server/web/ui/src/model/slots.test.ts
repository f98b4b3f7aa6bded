import { describe, expect, test } from "vitest";
import { parseId, shortName } from "./ids";
import { Model, type Kind } from "./kinds";
import { fromPointer, pathText } from "./paths";
import type { Reference } from "./references";
import { fits, knownElements, referTo, scopeOf, slotsAt, slotsOf, targetOf, unrefer, widened, withSlots, type Slot } from "./slots";

const kind = (name: string, ...key: string[]): Kind => ({ name, key, keyId: "", definedAt: "" });
const model = new Model({
  hash: "", sources: [],
  kinds: [kind("site", "site"), kind("rack", "site", "rack"), kind("device", "site", "rack", "device"), kind("port", "site", "rack", "device", "port"), kind("vlan", "site", "vlan"), kind("app", "app", "version")],
});
const target = (name: string) => model.kind(name) as Kind;
const slot = (rule: Partial<Reference>): Slot => slotsOf([{ to: ["port"], sentence: "", at: "spec.a", ...rule }])[0] as Slot;
const north = [{ name: "site", value: "north" }];
const device = parseId("site/north/rack/r1/device/d1") ?? [];
const p1 = "site/north/rack/r1/device/d1/port/p1";

describe("slots", () => {
  test("are where a rule says, those of names at the map", () => {
    const slots = slotsOf([{ to: ["port"], sentence: "", at: "spec.a" }, { to: ["port"], sentence: "", at: "spec.ends[*]" }, { to: ["vlan"], sentence: "", at: "spec.vlans.*" }, { to: ["site"], sentence: "" }]);
    const at = (path: (string | number)[], names?: boolean) => slotsAt(slots, path, names).map(({ reference }) => reference.at);
    expect(at(["spec", "a"])).toEqual(["spec.a"]);
    expect(at(["spec", "ends", 1])).toEqual(["spec.ends[*]"]);
    expect(at(["spec", "ends", "member"])).toEqual(["spec.ends[*]"]);
    expect(at(["spec", "vlans"])).toEqual([]);
    expect(at(["spec", "vlans"], true)).toEqual(["spec.vlans.*"]);
    expect(at(["spec"])).toEqual([]);
  });

  test("are members of the form, also where the schema does not name them", () => {
    const slots = slotsOf([
      { to: ["port"], sentence: "", at: "spec.a", required: true },
      { to: ["port"], sentence: "", at: "spec.ends[*]", min: 2 },
      { to: ["vlan"], sentence: "", at: "spec.vlans.*" },
      { to: ["vlan"], sentence: "", at: "spec.by.*.vlan" },
    ]);
    expect(withSlots({ required: ["spec"], properties: { spec: { type: "object", required: ["x"], properties: { x: { type: "string" } } } } }, slots)).toEqual({
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          required: ["a", "ends", "x"],
          properties: {
            a: {},
            ends: { type: "array", items: {} },
            vlans: { type: "object" },
            by: { type: "object", additionalProperties: { type: "object", properties: { vlan: {} } } },
            x: { type: "string" },
          },
        },
      },
    });
    const order = withSlots({ properties: { spec: { properties: { x: {} } } } }, slots).properties?.spec?.properties ?? {};
    expect(Object.keys(order)).toEqual(["a", "ends", "vlans", "by", "x"]);
  });
});

describe("the target of a value", () => {
  test.each([
    { name: "an object, with the rest of the own key", rule: {}, own: north, value: { rack: "r1", device: "d1", port: "p1" }, id: p1 },
    { name: "an object that says more than the own key", rule: {}, own: north, value: { site: "south", rack: "r1", device: "d1", port: "p1" }, id: "site/south/rack/r1/device/d1/port/p1" },
    { name: "a text", rule: {}, own: device, value: "p1", id: p1 },
    { name: "members of other names", rule: { map: { port: "interface", device: "dev" } }, own: north, value: { rack: "r1", dev: "d1", interface: "p1" }, id: p1 },
    { name: "fixed elements", rule: { fixed: { rack: "r1" } }, own: north, value: { device: "d1", port: "p1", rack: "r2" }, id: p1 },
    { name: "elements that are always its own", rule: { common: ["site"] }, own: north, value: { site: "south", rack: "r1", device: "d1", port: "p1" }, id: p1 },
    { name: "one of several kinds", rule: { to: ["rack", "vlan"] }, own: north, value: { vlan: "v1" }, id: "site/north/vlan/v1" },
    { name: "the last element never comes from the own key", rule: { to: ["device"] }, own: device, value: {}, id: undefined },
    { name: "a part of a key", rule: {}, own: north, value: { rack: "r1", port: "p1" }, id: undefined },
    { name: "a value that is no reference", rule: { to: ["vlan"], except: ["none"] }, own: north, value: "none", id: undefined },
    { name: "nothing", rule: {}, own: north, value: undefined, id: undefined },
    { name: "names are escaped as the server does", rule: { to: ["vlan"] }, own: north, value: "a/b", id: "site/north/vlan/a%2Fb" },
  ])("$name", ({ rule, own, value, id }) => {
    expect(targetOf(model, slot(rule), own, value)).toBe(id);
  });
});

describe("choosing a document", () => {
  test.each([
    { name: "writes what the own key does not say", rule: {}, own: north, value: undefined, want: { "spec.a": { rack: "r1", device: "d1", port: "p1" } } },
    { name: "keeps other members, and those that were said", rule: {}, own: north, value: { site: "south", note: "x" }, want: { "spec.a.site": "north", "spec.a.rack": "r1", "spec.a.device": "d1", "spec.a.port": "p1" } },
    { name: "writes a text where that is enough", rule: {}, own: device, value: undefined, want: { "spec.a": "p1" } },
    { name: "writes an object where the schema wants one", rule: {}, own: device, value: undefined, schema: { type: "object" }, want: { "spec.a": { port: "p1" } } },
    { name: "writes an object where a text is not enough", rule: {}, own: parseId("site/north/rack/r1/device/d2") ?? [], value: "p9", want: { "spec.a": { device: "d1", port: "p1" } } },
    { name: "writes members of other names", rule: { map: { port: "interface" }, fixed: { rack: "r1" } }, own: north, value: {}, want: { "spec.a.device": "d1", "spec.a.interface": "p1" } },
  ])("$name", ({ rule, own, value, schema, want }) => {
    const changes = referTo(slot(rule), target("port"), own, p1, ["spec", "a"], value, schema);
    expect(Object.fromEntries(changes.map((one) => [pathText(one.path), one.value]))).toEqual(want);
  });

  test.each([
    { name: "a text", value: "p1", others: [], want: ["spec.a"] },
    { name: "an object that has nothing else", value: { rack: "r1", port: "p1" }, others: [], want: ["spec.a"] },
    { name: "the members of the reference", value: { rack: "r1", port: "p1", note: "x" }, others: [], want: ["spec.a.rack", "spec.a.port"] },
    { name: "not those of another reference", value: { rack: "r1", port: "p1" }, others: [slot({ to: ["rack"] })], want: ["spec.a.port"] },
  ])("and none again removes $name", ({ value, others, want }) => {
    const changes = unrefer(model, slot({}), others, ["spec", "a"], value);
    expect(changes.map(({ path, value: next }) => [pathText(path), next])).toEqual(want.map((path) => [path, undefined]));
  });
});

describe("what is offered", () => {
  const known = knownElements(slot({}), target("port"), device, undefined);
  test.each([
    { name: "below the own key", beyond: 0, text: "", scope: "site/north/rack/r1/device/d1" },
    { name: "outside of the nearest of it", beyond: 1, text: "", scope: "site/north/rack/r1" },
    { name: "outside of all of it", beyond: 9, text: "", scope: "" },
    { name: "below what is typed", beyond: 2, text: "r2/d5/p", scope: "site/north/rack/r2/device/d5" },
    { name: "a name that is not typed to its end does not count", beyond: 2, text: "r2", scope: "site/north" },
  ])("$name", ({ beyond, text, scope }) => {
    expect(scopeOf(model, widened(known, beyond), text)).toBe(scope);
  });

  test("is below documents, not below parts of keys", () => {
    expect(scopeOf(model, knownElements(slot({ to: ["app"] }), target("app"), [], { app: "a" }))).toBe("");
  });

  test("has all that is known", () => {
    const some = knownElements(slot({}), target("port"), north, { device: "d1" });
    expect(fits(some, p1)).toBe(true);
    expect(fits(some, "site/north/rack/r1/device/d2/port/p1")).toBe(false);
  });

  test.each([
    { id: p1, under: "site/north", want: "r1/d1/p1" },
    { id: p1, under: "site/nor", want: "north/r1/d1/p1" },
    { id: p1, under: "", want: "north/r1/d1/p1" },
  ])("$id below $under is $want", ({ id, under, want }) => {
    expect(shortName(id, under)).toBe(want);
  });
});

test("pointers and paths", () => {
  expect(fromPointer("/spec/a~1b/0/~0")).toEqual(["spec", "a/b", "0", "~"]);
  expect(fromPointer("")).toEqual([]);
  expect(pathText(["spec", "ends", 0, "port"])).toBe("spec.ends[0].port");
});
