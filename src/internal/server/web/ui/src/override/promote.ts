import { isMap, isSeq } from "yaml";
import { readSource, putDocument, type Envelope } from "../api/documents";
import { formatId } from "../model/ids";
import { isObject } from "../model/paths";
import { readYaml, writeYaml } from "../yaml/merge";
import type { Target } from "./place";

/** A ParamSet that parameters can be moved to. */
export interface Receiver {
  id: string;
  name: string;
  scope: "site" | "cluster" | "environment"; // who may use it
}

/** The ParamSets that are associated with what an override applies to, without those of overrides, the one that wins last. */
export function receiversOf(target: Target, associations: Envelope[], postfixes: ReadonlyMap<string, string>): Receiver[] {
  const [cluster = "", environment = ""] = target.environmentId.split("/");
  const object = target.namespaceName === undefined ? undefined : postfixes.get(target.namespaceName);
  const fits = ({ context, deployPostfix }: Record<string, unknown>) => context === target.context && deployPostfix === object;
  return associations
    .filter(({ data }) => fits(data.spec ?? {}))
    .sort((a, b) => orderOf(b) - orderOf(a))
    .flatMap(({ data }): Receiver[] => {
      const { siteParamSet: site, clusterParamSet: ofCluster, environmentParamSet: own } = data.spec ?? {};
      if (typeof site === "string") return [{ id: formatId([{ name: "siteParamSet", value: site }]), name: site, scope: "site" }];
      if (typeof ofCluster === "string") return [{ id: formatId([{ name: "cluster", value: cluster }, { name: "clusterParamSet", value: ofCluster }]), name: ofCluster, scope: "cluster" }];
      if (typeof own !== "string" || own.endsWith("ui-override")) return [];
      return [{ id: formatId([{ name: "cluster", value: cluster }, { name: "environment", value: environment }, { name: "environmentParamSet", value: own }]), name: own, scope: "environment" }];
    });
}

function orderOf({ data }: Envelope): number {
  return Number(data.spec?.order ?? 0);
}

/** A ParamSet, as its document is written, with parameters of an override, for all or for an application. */
export function withPromoted(paramSet: string, override: string, names: string[], application?: string): string {
  const document = readYaml(paramSet);
  const values = readYaml(override);
  let at: (string | number)[] = ["spec", "parameters"];
  if (application !== undefined) {
    const list = document.getIn(["spec", "applications"], true);
    if (!isSeq(list)) document.setIn(["spec", "applications"], document.createNode([]));
    const items = document.getIn(["spec", "applications"], true);
    const found = isSeq(items) ? items.items.findIndex((item) => isMap(item) && item.get("appName") === application) : -1;
    const index = found >= 0 ? found : isSeq(items) ? items.items.length : 0;
    if (found < 0) document.setIn(["spec", "applications", index], document.createNode({ appName: application, parameters: {} }));
    at = ["spec", "applications", index, "parameters"];
  }
  if (!isMap(document.getIn(at, true))) document.setIn(at, document.createNode({}));
  const parameters = document.getIn(at, true);
  if (isMap(parameters)) parameters.flow = false;
  for (const name of names) document.setIn([...at, name], merged(document.getIn([...at, name], true), values.get(name, true)));
  return writeYaml(document);
}

/** What an override sets over what is there: maps member by member, all else as a whole. */
function merged(there: unknown, over: unknown): unknown {
  if (!isMap(there) || !isMap(over)) return over;
  for (const { key, value } of over.items) there.set(key, merged(there.get(key, true), value));
  return there;
}

/** An override without parameters that moved elsewhere. */
export function withoutPromoted(override: string, names: string[]): string {
  const document = readYaml(override);
  for (const name of names) document.deleteIn([name]);
  return writeYaml(document);
}

/** The names of the parameters of an override. */
export function namesIn(override: string): string[] {
  const values: unknown = readYaml(override).toJS();
  return isObject(values) ? Object.keys(values) : [];
}

/** Puts parameters of an override into a ParamSet, in a change set. */
export async function promote(path: string, override: string, names: string[], application: string | undefined, message: string, changeSet: string): Promise<void> {
  const { envelope, yaml } = await readSource(path, changeSet);
  await putDocument(path, withPromoted(yaml, override, names, application), envelope.etag, { message, changeSet });
}
