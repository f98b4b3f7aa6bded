import { queryOptions } from "@tanstack/react-query";
import { isMap, isSeq, type Node } from "yaml";
import { send } from "../api/client";
import { inView } from "../api/view";
import { readYaml, writeYaml } from "../yaml/merge";
import type { Target } from "./place";
import { lineOf } from "./rows";

/** A value of an effective set that would be another. */
export interface ImpactDifference {
  path: string;
  from?: string; // in one line; absent where it was not there
  to?: string;
  secret: boolean; // then it has no values
  level: string; // where the new value comes from
}

/** What differs for an application, or for what has no application. */
export interface ImpactGroup {
  name: string;
  files: { file: string; differences: ImpactDifference[] }[];
  count: number;
}

/** What an override that is not stored would change. */
export interface OverrideImpact {
  groups: ImpactGroup[];
  differences: number;
  omitted: number;
  problems: string[]; // what keeps a set from being calculated
  findings: string[];
}

/** What an override with a text of parameters would change, beside what is stored. */
export function impactQuery(target: Target, text: string) {
  return queryOptions({
    queryKey: ["override-impact", target, text],
    queryFn: async ({ signal }): Promise<OverrideImpact> => {
      const body = readYaml("{}");
      body.set("override", body.createNode(target));
      body.setIn(["override", "parameters"], readYaml(text).contents);
      const response = await send("POST", inView("/api/effective-set/impact"), { "Content-Type": "application/yaml", Accept: "application/yaml" }, writeYaml(body), undefined, signal);
      return impactOf(await response.text());
    },
    staleTime: 10_000,
  });
}

/** Reads an impact, with its differences by the applications that their files are for. */
export function impactOf(text: string): OverrideImpact {
  const answer = readYaml(text);
  const number = (name: string) => Number(answer.get(name) ?? 0);
  const groups = new Map<string, ImpactGroup>();
  const problems: string[] = [];
  const findings: string[] = [];
  for (const environment of itemsOf(answer.get("environments", true))) {
    for (const difference of itemsOf(environment.get("differences", true))) {
      const file = textAt(difference, "file") ?? "";
      const name = applicationOf(file);
      const group = groups.get(name) ?? { name, files: [], count: 0 };
      groups.set(name, group);
      let of = group.files.find((one) => one.file === file);
      if (of === undefined) group.files.push((of = { file, differences: [] }));
      of.differences.push({ path: textAt(difference, "path") ?? "", from: lineAt(difference, "from"), to: lineAt(difference, "to"), secret: difference.get("secret") === true, level: textAt(difference, "level") ?? "" });
      group.count++;
    }
    for (const problem of itemsOf(environment.get("problems", true))) problems.push([textAt(problem, "location"), textAt(problem, "message"), textAt(problem, "remedy")].filter(Boolean).join(": "));
    for (const finding of itemsOf(environment.get("findings", true))) findings.push([textAt(finding, "location"), textAt(finding, "message")].filter(Boolean).join(": "));
  }
  return { groups: [...groups.values()].sort((a, b) => a.name.localeCompare(b.name)), differences: number("differences"), omitted: number("omitted"), problems: [...new Set(problems)], findings: [...new Set(findings)] };
}

/** The application that a file of an effective set is for, with its deploy postfix, or else the context. */
function applicationOf(file: string): string {
  const [context = "", postfix, application, ...rest] = file.split("/");
  return rest.length > 0 ? `${postfix}/${application}` : context;
}

function itemsOf(list: unknown) {
  return isSeq(list) ? list.items.filter(isMap) : [];
}

type Item = ReturnType<typeof itemsOf>[number];

function textAt(item: Item, name: string): string | undefined {
  const value = item.get(name);
  return value === undefined || value === null ? undefined : String(value);
}

function lineAt(item: Item, name: string): string | undefined {
  return item.has(name) ? lineOf(item.get(name, true) as Node | null) : undefined;
}
