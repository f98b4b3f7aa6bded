import type { OverridesSearch } from "../addresses";

/** What parameters are for. */
export const contexts = ["deploy", "runtime", "pipeline"] as const;

export type Context = (typeof contexts)[number];

/** What an override applies to. */
export const levels = ["environment", "namespace", "application"] as const;

export type Level = (typeof levels)[number];

/** What the page is about, as far as its address says it. */
export interface Choice {
  cluster: string;
  environment: string;
  context: Context;
  level: Level;
  namespace: string;
  application: string;
}

/** Reads what the address says; what it does not say is empty. Pipelines know no applications. */
export function choiceOf(search: OverridesSearch): Choice {
  const context = contexts.find((name) => name === search.context) ?? "deploy";
  const level = levelsOf(context).find((name) => name === search.level) ?? "environment";
  const { cluster = "", environment = "", namespace = "", application = "" } = search;
  return { cluster, environment, context, level, namespace, application };
}

/** The levels on which there are overrides of a context. */
export function levelsOf(context: Context): readonly Level[] {
  return context === "pipeline" ? ["environment", "namespace"] : levels;
}

/** The query of the API for something of an environment. */
export interface Target {
  environmentId: string;
  context: Context;
  namespaceName?: string;
  applicationName?: string;
}

/** Where the override is that is chosen; undefined while something is missing. */
export function overrideTarget({ cluster, environment, context, level, namespace, application }: Choice): Target | undefined {
  const target = { environmentId: `${cluster}/${environment}`, context };
  if (cluster === "" || environment === "") return undefined;
  if (level === "environment") return target;
  if (namespace === "") return undefined;
  if (level === "namespace") return { ...target, namespaceName: namespace };
  return application === "" ? undefined : { ...target, namespaceName: namespace, applicationName: application };
}

/** Where the effective set is that the choice is about: that of the application, or of the pipeline; undefined while something is missing. */
export function effectiveTarget(choice: Choice): Target | undefined {
  return overrideTarget({ ...choice, level: choice.context === "pipeline" ? "environment" : "application" });
}

/** A target as the query of a request. */
export function queryOf(target: Target): string {
  return new URLSearchParams({ ...target }).toString();
}
