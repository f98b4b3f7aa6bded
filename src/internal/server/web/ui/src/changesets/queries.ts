import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { messageHeader, send } from "../api/client";
import type { Page } from "../api/documents";
import type { components } from "../api/openapi";
import { isNotFound } from "../api/problem";

/** The states of a change set. */
export const states = ["open", "merged", "closed"] as const;

export type State = (typeof states)[number];

/** What is done to a document. */
export type Verb = "create" | "update" | "delete";

/** What a reviewer says. */
export type Decision = "approve" | "reject" | "comment";

/** A document that is staged. Without id and kind it is one that the reader may not read. */
export interface Operation {
  id?: string;
  kind?: string;
  verb: Verb;
  by?: string;
  time: string;
}

export interface Review {
  by?: string;
  decision: Decision;
  comment?: string;
  time: string;
  current?: boolean; // what was reviewed is what is staged now
}

/** A change set. */
export interface ChangeSet {
  name: string;
  title?: string;
  description?: string;
  state: State;
  author?: string;
  authors?: string[]; // all that staged something
  base: string; // the position of the store that it starts from
  created: string;
  total: number; // of staged documents, also of those that the reader may not read
  operations?: Operation[]; // absent in lists
  unreadable?: number;
  reviews?: Review[];
  proposal?: { branch: string; into?: string; commit?: string; current: boolean; differs?: string };
  merged?: { position: string; time: string; by?: string; commit?: string };
  closed?: { time: string; by?: string };
  version: string;
}

/** One value that differs. */
export interface Change {
  op: "add" | "remove" | "replace";
  path: string; // a JSON pointer
  from?: unknown;
  to?: unknown;
}

/** What differs in a staged document. */
export interface Difference extends Operation {
  id: string;
  kind: string;
  changes?: Change[];
  files?: string[];
}

/** A value that was changed by others since the base. Absent is undefined. */
export interface Conflict {
  id: string;
  path: string; // a JSON pointer, empty for the whole document
  message: string;
  base?: unknown;
  staged?: unknown;
  now?: unknown;
}

/** Documents that are changed only with approvals. */
export interface Protection {
  on?: string[];
  approvals: number;
  by?: string[];
  approvedBy?: string[];
  missing: number;
  message?: string;
}

/** Whether a change set can be merged, and what is in the way. */
export interface Check {
  mergeable: boolean;
  conflicts?: Conflict[];
  errors?: Part[];
  protections?: Protection[];
  rejectedBy?: string[]; // whose latest decision about what is staged now is that it must not be merged
  unreadable?: number;
}

export type Part = NonNullable<components["schemas"]["Problem"]["errors"]>[number];

/** Something that the services make of the documents, and that would be another. */
export interface ImpactItem {
  service: string;
  id: string;
  title?: string;
  basis?: string; // of effective sets: calculation or generated-files
  changes?: ImpactChange[];
  more?: number; // changes beside these
  findings?: { severity: string; message: string; location?: string }[];
  moreFindings?: number;
  error?: string;
}

/** A value that would be another, in a file of things that consist of files. The values of secrets are not told. */
export interface ImpactChange extends Change {
  file?: string;
  secret?: boolean;
}

/** What a merge would change beside the documents. */
export interface Impact {
  items?: ImpactItem[];
  total?: number;
  unchanged?: ImpactItem[]; // what was looked at, and stays as it is
  unchangedTotal?: number;
  unreadable?: number;
  incomplete?: boolean; // there was more than could be calculated
}

/** What a merge does, or would do. */
export interface Merged {
  operations?: { id: string; effect: components["schemas"]["BatchResults"]["results"][number]["effect"] }[];
  total?: number;
  unreadable?: number;
}

/** Which value of a conflict is taken. */
export interface Resolution {
  id: string;
  path: string;
  take: "staged" | "now";
}

/** Which change sets are listed. */
export interface ChangeSetFilter {
  state?: string;
  author?: string;
  reviewer?: "me"; // those that wait for the review of the user
}

const base = "/api/change-sets";
const pageSize = 50;

/** What the keys of all that is read of change sets begin with. */
export const changeSetsKey = ["change-sets"];

const pathOf = (name: string, part = "") => `${base}/${encodeURIComponent(name)}${part}`;

/** Pages of change sets, by name. */
export function changeSetsQuery(filter: ChangeSetFilter) {
  return infiniteQueryOptions({
    queryKey: [...changeSetsKey, "list", filter],
    initialPageParam: "",
    queryFn: async ({ pageParam }) => {
      const given = Object.entries({ ...filter, continue: pageParam }).filter((entry): entry is [string, string] => Boolean(entry[1]));
      const query = new URLSearchParams([...given, ["limit", String(pageSize)]]);
      return (await (await send("GET", `${base}?${query.toString()}`)).json()) as Page<ChangeSet>;
    },
    getNextPageParam: (page) => page.continue,
  });
}

/** One change set. */
export function changeSetQuery(name: string) {
  return queryOptions({ queryKey: [...changeSetsKey, name], queryFn: () => readExact<ChangeSet>(pathOf(name)) });
}

/** What is staged, document by document. */
export function diffQuery(name: string) {
  return queryOptions({ queryKey: [...changeSetsKey, name, "diff"], queryFn: () => readExact<{ operations?: Difference[]; unreadable?: number }>(pathOf(name, "/diff")) });
}

/** Whether it can be merged. What is stored may change at any time: it is asked for each time. */
export function checkQuery(name: string) {
  return queryOptions({ queryKey: [...changeSetsKey, name, "check"], queryFn: () => readExact<Check>(pathOf(name, "/check")), staleTime: 0 });
}

/** What a merge would change beside the documents. It takes its time: it is kept until something is staged. */
export function impactQuery(name: string) {
  return queryOptions({ queryKey: [...changeSetsKey, name, "impact"], queryFn: () => readExact<Impact>(pathOf(name, "/impact")), staleTime: Infinity, retry: false });
}

/** The YAML of a document in a change set, or at a position; empty where it is not there. */
export function stagedTextQuery(path: string, where: { changeSet: string; version: string } | { at: string }) {
  return queryOptions({
    queryKey: ["staged-text", path, where],
    queryFn: async () => {
      const query = "at" in where ? `at=${encodeURIComponent(where.at)}` : `changeSet=${encodeURIComponent(where.changeSet)}`;
      try {
        return await (await send("GET", `${path}?${query}`, { Accept: "application/yaml" })).text();
      } catch (error) {
        if (isNotFound(error)) return "";
        throw error;
      }
    },
    staleTime: Infinity,
    retry: false,
  });
}

/** Reads an answer with all digits of its numbers. */
async function readExact<T>(path: string): Promise<T> {
  const text = await (await send("GET", path)).text();
  const { plain, readYaml } = await import("../yaml/merge"); // which the menu of every page does not need
  return plain(readYaml(text).toJS()) as T;
}

async function post<T>(path: string, body: object = {}, message = ""): Promise<T> {
  const response = await send("POST", path, { "Content-Type": "application/json", ...messageHeader(message) }, JSON.stringify(body));
  return (await response.json()) as T;
}

/** What the author says about a change set. */
export interface About {
  title: string;
  description: string;
}

export function createChangeSet(name: string, about: About): Promise<ChangeSet> {
  return post(base, { name, ...about });
}

/** Changes what a change set says of itself, if it is still at the version. */
export async function describeChangeSet({ name, version }: ChangeSet, about: About): Promise<void> {
  await send("PATCH", pathOf(name), { "Content-Type": "application/merge-patch+json", "If-Match": `"${version}"` }, JSON.stringify(about));
}

export async function deleteChangeSet(name: string): Promise<void> {
  await send("DELETE", pathOf(name));
}

/** Drops what is staged of a document. */
export async function unstage(name: string, id: string): Promise<void> {
  await send("DELETE", `${pathOf(name, "/operations")}?id=${encodeURIComponent(id)}`);
}

export function review(name: string, decision: Decision, comment: string): Promise<ChangeSet> {
  return post(pathOf(name, "/reviews"), { decision, comment });
}

/** Applies a change set to what is stored, or says what that would do. */
export function mergeChangeSet(name: string, message: string, dryRun: boolean): Promise<Merged> {
  return post(pathOf(name, dryRun ? "/merge?dryRun=true" : "/merge"), message.trim() === "" ? {} : { message: message.trim() });
}

/** Brings the base of a change set to now, with the conflicts as they are decided, or only checks whether that is possible. */
export function rebaseChangeSet(name: string, resolve: Resolution[], dryRun: boolean): Promise<ChangeSet> {
  return post(pathOf(name, dryRun ? "/rebase?dryRun=true" : "/rebase"), { resolve });
}

/** Pushes a change set as a branch of the attached Git repository. */
export function proposeChangeSet(name: string): Promise<ChangeSet> {
  return post(pathOf(name, "/propose"), {});
}

/** Whether a Git repository is attached, as far as the reader may know. */
export const attachedQuery = queryOptions({
  queryKey: ["attached"],
  queryFn: async () => {
    try {
      return ((await (await send("GET", "/v2/instance-repositories")).json()) as { items?: unknown[] }).items?.length !== 0;
    } catch {
      return false;
    }
  },
});

/** Closes a change set, which keeps what is staged, or opens it again. */
export function moveChangeSet(name: string, to: "close" | "reopen"): Promise<ChangeSet> {
  return post(pathOf(name, `/${to}`));
}

/** Creates a change set that undoes a merged one. */
export function revertChangeSet(name: string, as: string, title: string): Promise<ChangeSet> {
  return post(pathOf(name, "/revert"), { name: as, title });
}
