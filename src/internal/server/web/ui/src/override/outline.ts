import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../api/client";
import type { Envelope, Page } from "../api/documents";
import { pageSize } from "../api/queries";
import { viewQuery } from "../api/view";
import { formatId, nameOf } from "../model/ids";
import { isObject } from "../model/paths";
import { contexts, type Context } from "./place";

/** How many values are overridden, by context; a context without any is absent. */
export type Counts = Partial<Record<Context, number>>;

/** An application with its overrides. */
export interface OutlinedApplication {
  name: string;
  overridden: Counts;
}

/** A namespace with its overrides and applications. */
export interface OutlinedNamespace extends OutlinedApplication {
  postfix: string;
  applications: OutlinedApplication[];
}

/** What there is to override in an environment, and what is overridden. */
export interface Outline {
  overridden: Counts;
  namespaces: OutlinedNamespace[];
}

/** The documents that an outline is made of. */
export interface Outlined {
  postfixes: Envelope[];
  applications: Envelope[];
  parts: Envelope[];
  paramSets: Envelope[];
  descriptors: Envelope[];
}

/** The outline of an environment. */
export function outlineQuery(cluster: string, environment: string) {
  return queryOptions({
    queryKey: ["outline", cluster, environment],
    queryFn: async (): Promise<Outline> => {
      const under = formatId([{ name: "cluster", value: cluster }, { name: "environment", value: environment }]);
      const kinds = ["deployPostfix", "application", "effectiveSetPart", "environmentParamSet", "solutionDescriptor"];
      const [postfixes = [], applications = [], parts = [], paramSets = [], descriptors = []] = await Promise.all(kinds.map((kind) => readAll(kind, under)));
      return outlineOf({ postfixes, applications, parts, paramSets, descriptors });
    },
    staleTime: 10_000,
  });
}

/** The associations of ParamSets with an environment and its namespaces. */
export function associationsQuery(cluster: string, environment: string) {
  return queryOptions({
    queryKey: ["associations", cluster, environment],
    queryFn: () => readAll("paramSetAssociation", formatId([{ name: "cluster", value: cluster }, { name: "environment", value: environment }])),
  });
}

async function readAll(kind: string, under: string): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const query = { kind, under, limit: pageSize, ...(next === "" ? {} : { continue: next }), ...viewQuery() };
    const page: Page<Envelope> = bodyOf(await api.GET("/v2/documents", { params: { query } })) as unknown as Page<Envelope>; // oxlint-disable-line no-await-in-loop -- each page says where the next one begins
    all.push(...page.items);
    next = page.continue;
  }
  return all;
}

/** The outline that documents give. Applications are those of the namespace, those that it deploys, and those that an effective set was generated for. */
export function outlineOf({ postfixes, applications, parts, paramSets, descriptors }: Outlined): Outline {
  const overrides = new Map(paramSets.filter(({ id }) => nameOf(id).endsWith("ui-override")).map(({ id, data }) => [nameOf(id), data.spec ?? {}]));
  const generated = parts.map(({ id }) => /^(?:deployment|runtime)\/([^/]+)\/([^/]+)\//.exec(nameOf(id)));
  const deployed = descriptors.filter(({ id }) => nameOf(id) === "full").flatMap(({ data }) => deployedBy(data.spec ?? {}));
  const namespaces = postfixes.map((document): OutlinedNamespace => {
    const postfix = nameOf(document.id);
    const own = applications.filter(({ id }) => id.startsWith(`${document.id}/`)).map(({ id }) => nameOf(id));
    const prefixes = [postfix, `${postfix}-origin`, `${postfix}-peer`]; // a blue-green domain adds to it
    const names = new Set([...own, ...deployed.filter((one) => one.postfix === postfix).map(({ name }) => name), ...generated.filter((part) => prefixes.includes(part?.[1] ?? "")).map((part) => part?.[2] ?? "")]);
    return {
      name: namespaceOf(document),
      postfix,
      overridden: countsOf((context) => firstOf(prefixes, (prefix) => ofAll(overrides.get(`${prefix}-${context}-ui-override`)))),
      applications: [...names].sort().map((name) => ({ name, overridden: countsOf((context) => firstOf(prefixes, (prefix) => ofApplication(overrides.get(`${prefix}-${name}-${context}-ui-override`), name))) })),
    };
  });
  return { overridden: countsOf((context) => ofAll(overrides.get(`${context}-ui-override`))), namespaces };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The applications that a solution descriptor deploys: it names them as "name:version". */
function deployedBy({ applications }: Record<string, unknown>): { name: string; postfix: string }[] {
  return Array.isArray(applications) ? applications.filter(isObject).map(({ version, deployPostfix }) => ({ name: textOf(version).split(":")[0] ?? "", postfix: textOf(deployPostfix) })) : [];
}

function firstOf(prefixes: string[], count: (prefix: string) => number): number {
  return prefixes.map(count).find((n) => n > 0) ?? 0;
}

function countsOf(count: (context: Context) => number): Counts {
  return Object.fromEntries(contexts.map((context) => [context, count(context)] as const).filter(([, n]) => n > 0));
}

/** How many values a ParamSet sets itself. */
function ofAll(spec: Record<string, unknown> | undefined): number {
  return isObject(spec?.parameters) ? leavesOf(spec.parameters) : 0;
}

/** How many values a ParamSet sets for an application. */
function ofApplication(spec: Record<string, unknown> | undefined, name: string): number {
  const { applications } = spec ?? {};
  const one: unknown = Array.isArray(applications) ? applications.find((item) => isObject(item) && item.appName === name) : undefined;
  return isObject(one) && isObject(one.parameters) ? leavesOf(one.parameters) : 0;
}

function leavesOf(values: Record<string, unknown>): number {
  return Object.values(values).reduce<number>((n, value) => n + (isObject(value) && Object.keys(value).length > 0 ? leavesOf(value) : 1), 0);
}

/** The name of a namespace on the cluster, which need not be its deploy postfix. */
export function namespaceOf(document: Envelope): string {
  const { namespace } = document.data.spec ?? {};
  return typeof namespace === "string" && namespace !== "" ? namespace : nameOf(document.id);
}
