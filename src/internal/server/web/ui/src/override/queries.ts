import { queryOptions } from "@tanstack/react-query";
import { isMap, isSeq, type Document, type Node } from "yaml";
import { send } from "../api/client";
import { isCommit } from "../api/commits";
import { isNotFound } from "../api/problem";
import { inView } from "../api/view";
import { readYaml, writeYaml } from "../yaml/merge";
import { namesOf } from "./rows";
import { queryOf, type Level, type Target } from "./place";

/** An override as it is edited: the text of its parameters, exact, and the version it has; no version, no override yet. */
export interface Stored {
  text: string;
  version?: string;
}

/** The text of an override without parameters. */
export const noParameters = "{}\n";

const yamlType = "application/yaml";

/** Reads YAML, which is exact where numbers of JavaScript are not. */
async function readExact(path: string, changeSet?: string): Promise<Document> {
  return readYaml(await (await send("GET", inView(path, changeSet), { Accept: yamlType })).text());
}

/** The override at a target. */
export function overrideQuery(target: Target) {
  return queryOptions({ queryKey: ["override", target], queryFn: () => readOverride(target) });
}

async function readOverride(target: Target, changeSet?: string): Promise<Stored> {
  try {
    const answer = await readExact(`/api/ui-override?${queryOf(target)}`, changeSet);
    return { text: textOf(answer.get("parameters", true)), version: String(answer.get("version")) };
  } catch (error) {
    if (reasonOf(error) === "NO_PARAMSET") return { text: noParameters };
    throw error;
  }
}

/**
 * The version that an override has in another change set, where it may be called otherwise than the page knows it: stored in Git, it is
 * a commit. Where the parameters are others there, it is the version that the page knows, with which a write is refused.
 */
export async function versionIn(changeSet: string, target: Target, { text, version }: Stored): Promise<string | undefined> {
  const there = await readOverride(target, changeSet);
  return there.text === text ? there.version : version;
}

/** What came of saving an override. */
export interface Saved {
  notices: string[]; // of the server
  paramSet?: string; // the name of the document
  commit?: string; // that has it, where the store follows a Git repository
}

/** Creates or replaces an override, or stages that in another change set than the page works in. */
export async function saveOverride(target: Target, text: string, version: string | undefined, comment: string, changeSet?: string): Promise<Saved> {
  const body = readYaml("{}");
  body.set("parameters", readYaml(text).contents);
  if (comment !== "") body.set("commitMessage", comment);
  const headers: Record<string, string> = { "Content-Type": yamlType };
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  const response = await send(version === undefined ? "POST" : "PUT", inView(`/api/ui-override?${queryOf(target)}`, changeSet), headers, writeYaml(body));
  const { notices = [], version: now = "", paramSet } = (await response.json()) as { notices?: string[]; version?: string; paramSet?: { name: string } };
  return { notices, paramSet: paramSet?.name, commit: isCommit(now) ? now : undefined };
}

/** Deletes an override that still has the version, or stages that. */
export async function deleteOverride(target: Target, version: string, comment: string, changeSet?: string): Promise<void> {
  const note = comment === "" ? "" : `&commitMessage=${encodeURIComponent(comment)}`;
  await send("DELETE", inView(`/api/ui-override?${queryOf(target)}${note}`, changeSet), { "If-Match": `"${version}"` });
}

/** Where a value is set, or was: a ParamSet, or a generated file. */
export interface Source {
  name: string;
  level?: string;
  location?: string;
  file: boolean;
  override: boolean;
  input: boolean; // what the generated value was made of
  won: boolean;
  calculated: boolean; // nobody set it: it follows from the environment
  value?: Node;
  macros: Macro[]; // in the value
}

/** A macro, and who set what it refers to. */
export interface Macro {
  macro: string;
  chain: Source[];
}

/** An effective set as generated and as it will be, with where each value of the latter comes from. */
export interface EffectiveSet {
  generated: string; // when; empty where unknown
  files: boolean; // there are generated files
  now: Node | null;
  toBe: Node | null;
  secrets: Set<string>; // JSON pointers of what files of credentials give, now or then
  chains: Map<string, Source[]>; // by JSON pointer, the source that comes first before the others
  calculated: boolean; // and not the generated files with the overrides laid over them
  findings: string[];
}

/** Whether a file of credentials gives a value of an effective set, or something that it is in, even where something else wins. */
export function isSecret({ secrets }: EffectiveSet, pointer: string): boolean {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    if (secrets.has(at)) return true;
  }
  return false;
}

/** What the keys of all effective sets begin with. */
export const effectiveSets = ["effective"];

/** An override as it is typed, at a level of a target. */
export interface Typed {
  level: Level;
  text: string;
}

/** The effective set at a target, to be with what is typed if that is given; null when none was generated. With overlapping files the later one wins if it may. */
export function effectiveQuery(target: Target, laterWins: boolean, typed?: Typed) {
  const path = `/api/effective-set?${queryOf(target)}&onOverlap=${laterWins ? "last" : "error"}`;
  return queryOptions({
    queryKey: [...effectiveSets, target, laterWins, typed],
    queryFn: async (): Promise<EffectiveSet | null> => {
      try {
        const [generated, explained] = await Promise.all([readGenerated(path), typed ? readTyped(`${path}&view=explain`, typed) : readExact(`${path}&view=explain`)]);
        const secrets = new Set([...(generated ? secretsOf(generated) : []), ...secretsOf(explained)]);
        return { files: generated !== undefined, generated: String(generated?.get("generated") ?? ""), now: generated ? nodeAt(generated, "parameters") : withoutChanges(explained), toBe: nodeAt(explained, "parameters"), secrets, chains: chainsOf(explained), calculated: explained.get("basis") === "calculation", findings: findingsOf(explained) };
      } catch (error) {
        if (reasonOf(error) === "NO_EFFECTIVE_SET") return null;
        throw error;
      }
    },
  });
}

/** The generated files; undefined where there are none, which a calculation does not need. */
async function readGenerated(path: string): Promise<Document | undefined> {
  try {
    return await readExact(path);
  } catch (error) {
    if (reasonOf(error) === "NO_EFFECTIVE_SET") return undefined;
    throw error;
  }
}

/** What a set would be without the changes that an answer names. */
export function withoutChanges(answer: Document): Node | null {
  const before = readYaml("{}");
  before.contents = (nodeAt(answer, "parameters")?.clone() ?? before.contents) as typeof before.contents;
  const changes = answer.get("changes", true);
  for (const change of isSeq(changes) ? changes.items.filter(isMap) : []) {
    const path = namesOf(String(change.get("path")));
    if (change.has("previous")) before.setIn(path, change.get("previous", true));
    else before.deleteIn(path);
  }
  return before.contents as Node | null;
}

/** Reads what would be with an override that is not stored. */
async function readTyped(path: string, { level, text }: Typed): Promise<Document> {
  const body = readYaml("{}");
  body.set("level", level);
  body.set("parameters", readYaml(text).contents);
  return readYaml(await (await send("POST", inView(path), { Accept: yamlType, "Content-Type": yamlType }, writeYaml(body))).text());
}

function secretsOf(answer: Document): string[] {
  const secrets = answer.get("secrets", true);
  return isSeq(secrets) ? secrets.toJSON() as string[] : [];
}

function chainsOf(answer: Document): Map<string, Source[]> {
  const chains = new Map<string, Source[]>();
  const explained = answer.get("explained", true);
  for (const item of isSeq(explained) ? explained.items : []) {
    if (!isMap(item)) continue;
    const chain = item.get("chain", true);
    chains.set(String(item.get("path")), isSeq(chain) ? chain.items.map(sourceOf) : []);
  }
  return chains;
}

/** What the server says beside an effective set, each in a line. */
function findingsOf(answer: Document): string[] {
  const findings = answer.get("findings", true);
  return (isSeq(findings) ? findings.items : []).filter(isMap).map((item) => ["location", "message", "remedy"].map((name) => item.get(name)).filter((part) => part !== undefined).join(": "));
}

function macrosOf(list: unknown): Macro[] {
  return (isSeq(list) ? list.items : []).filter(isMap).map((item) => {
    const chain = item.get("chain", true);
    return { macro: String(item.get("macro")), chain: isSeq(chain) ? chain.items.map(sourceOf) : [] };
  });
}

function sourceOf(item: unknown): Source {
  const get = (name: string) => (isMap(item) ? item.get(name) : undefined);
  const textAt = (name: string) => (get(name) === undefined ? undefined : String(get(name)));
  return {
    name: textAt("name") ?? "",
    level: textAt("level"),
    location: textAt("location"),
    file: get("file") === true,
    override: get("override") === true,
    input: get("input") === true,
    won: get("won") === true,
    calculated: get("calculated") === true,
    macros: isMap(item) ? macrosOf(item.get("macros", true)) : [],
    value: isMap(item) ? (item.get("value", true) as Node | undefined) : undefined,
  };
}

function nodeAt(answer: Document, name: string): Node | null {
  return (answer.get(name, true) as Node | undefined) ?? null;
}

function textOf(node: unknown): string {
  const document = readYaml("{}");
  document.contents = node as typeof document.contents;
  return writeYaml(document);
}

function reasonOf(error: unknown): string | undefined {
  return isNotFound(error) ? (error as { problem: { reason?: string } }).problem.reason : undefined;
}
