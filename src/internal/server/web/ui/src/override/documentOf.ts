import { formatId, type Element } from "../model/ids";
import type { Choice } from "./place";
import type { Source } from "./queries";

/** The id of the document that a source is; undefined of what a calculation takes from elsewhere in the instance. */
export function documentOf({ cluster, environment }: Choice, { name, level, location = "", file }: Source): string | undefined {
  const inEnvironment: Element[] = [{ name: "cluster", value: cluster }, { name: "environment", value: environment }];
  if (file && level === undefined) return formatId([...inEnvironment, { name: "effectiveSetPart", value: name }]);
  if (location.endsWith("/Inventory/parameters")) return formatId([...inEnvironment, { name: "environmentParamSet", value: name }]);
  if (location === "environments/parameters") return formatId([{ name: "siteParamSet", value: name }]);
  if (location === `environments/${cluster}/parameters`) return formatId([{ name: "cluster", value: cluster }, { name: "clusterParamSet", value: name }]);
  return undefined;
}
