import { describe, expect, test } from "vitest";
import type { Envelope } from "../api/documents";
import { impactOf } from "./impact";
import { outlineOf } from "./outline";
import type { Choice } from "./place";
import { namesIn, receiversOf, withPromoted, withoutPromoted } from "./promote";
import { reachOf, viewed } from "./side";

const under = "cluster/c/environment/e";
const envelope = (id: string, spec: Record<string, unknown> = {}) => ({ id: `${under}/${id}`, data: { spec } }) as unknown as Envelope;
const override = (name: string, spec: Record<string, unknown>) => envelope(`environmentParamSet/${name}`, spec);

const outline = outlineOf({
  postfixes: [envelope("deployPostfix/pg", { namespace: "e-pg" }), envelope("deployPostfix/web")],
  applications: [envelope("deployPostfix/web/application/shop")],
  parts: ["deployment%2Fpg%2Fpostgres%2Fvalues%2Fcredentials.yaml", "runtime%2Fpg-origin%2Fpatroni%2Fparameters.yaml", "pipeline%2Fparameters.yaml"].map((name) => envelope(`effectiveSetPart/${name}`)),
  descriptors: [envelope("solutionDescriptor/full", { applications: [{ version: "mill:1.0.0", deployPostfix: "web" }] }), envelope("solutionDescriptor/delta", { applications: [{ version: "never:1", deployPostfix: "web" }] })],
  paramSets: [
    override("deploy-ui-override", { parameters: { A: 1, b: { c: 1, d: {} } } }),
    override("pg-runtime-ui-override", { parameters: { A: 1 } }),
    override("pg-postgres-deploy-ui-override", { parameters: {}, applications: [{ appName: "postgres", parameters: { X: 1, Y: [1, 2] } }] }),
    override("web-peer-shop-deploy-ui-override", { parameters: {}, applications: [{ appName: "shop", parameters: { X: 1 } }] }),
    override("basics", { parameters: { A: 1 } }),
  ],
});

describe("the outline of an environment", () => {
  test("namespaces and applications with how much is overridden, by context", () => {
    expect(outline).toEqual({
      overridden: { deploy: 3 },
      namespaces: [
        { name: "e-pg", postfix: "pg", overridden: { runtime: 1 }, applications: [{ name: "patroni", overridden: {} }, { name: "postgres", overridden: { deploy: 2 } }] },
        { name: "web", postfix: "web", overridden: {}, applications: [{ name: "mill", overridden: {} }, { name: "shop", overridden: { deploy: 1 } }] },
      ],
    });
  });

  const choice: Choice = { cluster: "c", environment: "e", context: "deploy", level: "environment", namespace: "", application: "" };
  test.each([
    { name: "environment", change: {}, reach: ["patroni", "postgres", "mill", "shop"], first: "patroni" },
    { name: "environment, with another application looked at", change: { namespace: "web", application: "shop" }, reach: ["patroni", "postgres", "mill", "shop"], first: "shop" },
    { name: "namespace", change: { level: "namespace" as const, namespace: "web" }, reach: ["mill", "shop"], first: "mill" },
    { name: "application", change: { level: "application" as const, namespace: "e-pg", application: "postgres" }, reach: ["postgres"], first: "postgres" },
    { name: "pipeline", change: { context: "pipeline" as const }, reach: ["patroni", "postgres", "mill", "shop"], first: "" },
  ])("what is reached and shown: $name", ({ change, reach, first }) => {
    const changed = { ...choice, ...change };
    expect({ reach: reachOf(changed, outline).map(({ application }) => application), first: viewed(changed, outline).application }).toEqual({ reach, first });
  });
});

test("an impact is by application, and shows no secret", () => {
  const impact = impactOf(`environments:
- environmentId: c/e
  differences:
  - {file: deployment/pg/postgres/values/deployment-parameters.yaml, path: /A, op: replace, from: 12345678901234567890, to: x, level: namespace}
  - {file: deployment/pg/postgres/values/deployment-parameters.yaml, path: /B, op: add, to: {k: 1}, level: application}
  - {file: deployment/pg/postgres/values/credentials.yaml, path: /P, op: replace, secret: true}
  - {file: pipeline/parameters.yaml, path: /A, op: remove, from: null}
  problems: [{when: after, location: sboms/x, message: it is missing, remedy: add it}]
  findings: [{reason: parameter-unused, message: nobody gets it}]
differences: 5
omitted: 1
`);
  expect(impact.groups.map(({ name, count, files }) => [name, count, files.map(({ differences }) => differences.map(({ path, from, to, secret }) => [path, from, to, secret]))])).toEqual([
    ["pg/postgres", 3, [[["/A", "12345678901234567890", "x", false], ["/B", undefined, "{k: 1}", false]], [["/P", undefined, undefined, true]]]],
    ["pipeline", 1, [[["/A", "null", undefined, false]]]],
  ]);
  expect({ differences: impact.differences, omitted: impact.omitted, problems: impact.problems, findings: impact.findings }).toEqual({ differences: 5, omitted: 1, problems: ["sboms/x: it is missing: add it"], findings: ["nobody gets it"] });
});

const association = (spec: Record<string, unknown>) => envelope("paramSetAssociation/x", spec);

describe("moving parameters to a ParamSet", () => {
  test("those that are associated with the same place in the same context, the one that wins first", () => {
    const all = [
      association({ context: "deploy", associatedObject: "cloud", order: 0, siteParamSet: "common" }),
      association({ context: "deploy", associatedObject: "cloud", order: 1, clusterParamSet: "of-cluster" }),
      association({ context: "deploy", associatedObject: "cloud", order: 2, environmentParamSet: "deploy-ui-override" }),
      association({ context: "runtime", associatedObject: "cloud", order: 0, siteParamSet: "other" }),
      association({ context: "deploy", associatedObject: "pg", deployPostfix: "pg", order: 0, environmentParamSet: "own" }),
    ];
    const names = (namespaceName?: string) => receiversOf({ environmentId: "c/e", context: "deploy", namespaceName }, all, new Map([["e-pg", "pg"]])).map(({ id, scope }) => `${scope} ${id}`);
    expect(names()).toEqual(["cluster cluster/c/clusterParamSet/of-cluster", "site siteParamSet/common"]);
    expect(names("e-pg")).toEqual([`environment ${under}/environmentParamSet/own`]);
  });

  const paramSet = "metadata:\n  name: common\nspec:\n  parameters:\n    A: 1 # one\n    db:\n      host: h\n  applications:\n  - appName: web\n    parameters:\n      X: 1\n";
  const values = "A: 12345678901234567890\ndb:\n  port: 1\nC: {x: 1}\n";
  test.each([
    { name: "values and members of maps", application: undefined, names: ["A", "db"], want: "metadata:\n  name: common\nspec:\n  parameters:\n    A: 12345678901234567890\n    db:\n      host: h\n      port: 1\n  applications:\n  - appName: web\n    parameters:\n      X: 1\n" },
    { name: "of an application that is there", application: "web", names: ["C"], want: "metadata:\n  name: common\nspec:\n  parameters:\n    A: 1 # one\n    db:\n      host: h\n  applications:\n  - appName: web\n    parameters:\n      X: 1\n      C: { x: 1 }\n" },
    { name: "of one that is not", application: "shop", names: ["A"], want: "metadata:\n  name: common\nspec:\n  parameters:\n    A: 1 # one\n    db:\n      host: h\n  applications:\n  - appName: web\n    parameters:\n      X: 1\n  - appName: shop\n    parameters:\n      A: 12345678901234567890\n" },
  ])("$name", ({ application, names, want }) => expect(withPromoted(paramSet, values, names, application)).toBe(want));

  test("what stays in the override", () => {
    expect(namesIn(values)).toEqual(["A", "db", "C"]);
    expect(withoutPromoted(values, ["A", "C"])).toBe("db:\n  port: 1\n");
  });
});
