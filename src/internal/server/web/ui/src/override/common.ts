import { queryOptions } from "@tanstack/react-query";
import { isMap, isSeq, type Node } from "yaml";
import { send } from "../api/client";
import { inView } from "../api/view";
import { readYaml, writeYaml } from "../yaml/merge";
import type { Context } from "./place";
import { lineOf } from "./rows";

const yamlType = "application/yaml";

/** A parameter to which overrides of several environments give the same value. */
export interface Common {
  context: Context;
  object: string; // "cloud", or a deploy postfix
  application?: string;
  parameter: string;
  value: string; // in one line
  environments: string[];
  others: string[]; // environments that give it another value
}

/** The parameters that overrides of several environments set alike, those of most environments first. */
export function commonQuery(context: Context) {
  return queryOptions({
    queryKey: ["common-overrides", context],
    queryFn: async (): Promise<Common[]> => {
      const answer = readYaml(await (await send("GET", inView(`/api/ui-override/common?context=${context}`), { Accept: yamlType })).text());
      const items = answer.get("items", true);
      return (isSeq(items) ? items.items : []).filter(isMap).map((item) => ({
        context,
        object: String(item.get("associatedObject")),
        application: item.has("applicationName") ? String(item.get("applicationName")) : undefined,
        parameter: String(item.get("parameter")),
        value: lineOf(item.get("value", true) as Node | undefined),
        environments: textsOf(item.get("environments", true)),
        others: textsOf(item.get("others", true)),
      }));
    },
    staleTime: 10_000,
  });
}

function textsOf(list: unknown): string[] {
  return isSeq(list) ? (list.toJSON() as string[]) : [];
}

/** Where a parameter moves to. */
export interface Destination {
  name: string;
  location: string;
  object: string;
}

/** A value that a move would change. */
export interface MoveDifference {
  environment: string;
  place: string; // the object and the application
  path: string;
  from?: string; // in one line; absent where it was not set
  to?: string;
  own: boolean; // the namespace sets it itself
}

/** What a move does, or would do. */
export interface Moved {
  created: boolean; // the ParamSet
  deleted: number; // overrides of which nothing is left
  associated: number; // environments that use the ParamSet from then on
  differences: MoveDifference[];
  notices: string[];
}

/** How a move is made. */
export interface How {
  dryRun?: boolean;
  accept?: boolean; // values may become others
  changeSet?: string;
}

/** Moves a parameter out of the overrides of environments into a ParamSet, or says what that would do. */
export async function moveCommon({ context, object, application, parameter }: Common, environments: string[], to: Destination, { dryRun, accept, changeSet }: How): Promise<Moved> {
  const body = readYaml("{}");
  const wanted = { context, associatedObject: object, ...(application === undefined ? {} : { applicationName: application }), names: [parameter], environments, to: { name: to.name, location: to.location, associatedObject: to.object }, differences: accept ? "accept" : "refuse" };
  body.contents = body.createNode(wanted) as unknown as typeof body.contents;
  const path = inView(`/api/ui-override/move${dryRun ? "?dryRun=true" : ""}`, changeSet);
  return movedOf(await (await send("POST", path, { Accept: yamlType, "Content-Type": yamlType }, writeYaml(body))).text());
}

/** Reads what a move does. */
export function movedOf(text: string): Moved {
  const answer = readYaml(text);
  const itemsOf = (name: string) => {
    const list = answer.get(name, true);
    return (isSeq(list) ? list.items : []).filter(isMap);
  };
  const environments = itemsOf("environments");
  return {
    created: answer.get("created") === true,
    deleted: environments.filter((one) => one.get("deleted") === true).length,
    associated: environments.filter((one) => one.get("associated") === true).length,
    differences: itemsOf("differences").map((one) => ({
      environment: String(one.get("environmentId")),
      place: [one.get("associatedObject"), one.get("applicationName")].filter((part) => part !== undefined).join(" / "),
      path: String(one.get("path")),
      from: one.has("from") ? lineOf(one.get("from", true) as Node) : undefined,
      to: one.has("to") ? lineOf(one.get("to", true) as Node) : undefined,
      own: one.get("own") === true,
    })),
    notices: textsOf(answer.get("notices", true)),
  };
}

/** The places for a ParamSet that all of some environments use: for all, and for a cluster where they are all in that. */
export function locationsFor(environments: string[]): string[] {
  const clusters = new Set(environments.map((id) => id.split("/")[0] ?? ""));
  const [only] = clusters;
  return clusters.size === 1 && only ? ["environments/parameters", `environments/${only}/parameters`] : ["environments/parameters"];
}
