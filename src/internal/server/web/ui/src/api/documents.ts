import { writeExact } from "../model/exact";
import { messageHeader, send } from "./client";
import { inView } from "./view";

/** A document with its bookkeeping. */
export interface Envelope {
  id: string;
  kind: string;
  key: Record<string, string>;
  data: { metadata?: { name?: string; description?: string; labels?: Record<string, string> }; spec?: Record<string, unknown> };
  content?: { name: string; filename?: string; mediaType?: string; size: number }[];
  status?: unknown;
  uid: string;
  revision: number;
  created: string;
  updated: string;
  schema?: string;
  etag: string;
}

/** A document in the neighbourhood of another one. */
export interface Relative {
  id: string;
  kind: string;
  path?: string;
  etag?: string;
  weak?: boolean;
  cascade?: boolean;
}

/** A part of a list; `continue` leads to the next part. */
export interface Page<T> {
  items: T[];
  continue?: string;
}

/** A document as it is edited: its text is exact, where numbers of JavaScript are not. */
export interface Source {
  envelope: Envelope;
  json?: string; // the envelope as it was sent, with all digits of its numbers
  yaml: string;
}

/** How something is written. */
export interface Write {
  dryRun?: boolean; // only checks whether it could be
  message?: string;
  changeSet?: string; // where it is staged; without it, where the page works
}

/** What a deletion would take along. */
export interface Plan {
  deleted: { id: string; kind: string; because?: { of: string; relation: string } }[];
  total: number;
}

const yamlType = "application/yaml";

/** How often a document is read again that changes while it is read. */
const maxReads = 5;

/**
 * Reads a document twice, as JSON and as exact YAML, both of the same version. One that never stands still is what was
 * read last: a write of it is refused then, as one that came late.
 */
export async function readSource(path: string, changeSet?: string): Promise<Source> {
  for (let attempt = 1; ; attempt++) {
    const response = await send("GET", inView(`${path}?view=document`, changeSet));
    const json = await response.text();
    const envelope = JSON.parse(json) as Envelope;
    const answer = await send("GET", inView(path, changeSet), { Accept: yamlType });
    const text = await answer.text();
    const version = answer.headers.get("ETag")?.replace(/^W\//, ""); // proxies that compress make it a weak one
    if (version === envelope.etag || attempt === maxReads) {
      return { envelope, json, yaml: envelope.status === undefined ? text : withoutStatus(text) };
    }
  }
}

/** The status is the last member, and not the user's to write. */
export function withoutStatus(yaml: string): string {
  if (yaml.startsWith("status:")) return "{}\n";
  const at = yaml.lastIndexOf("\nstatus:");
  return at < 0 ? yaml : yaml.slice(0, at + 1);
}

/** Reads a page of what is around a document. */
export async function readRelatives(path: string, view: "references" | "referrers" | "children", token?: string): Promise<Page<Relative>> {
  const next = token ? `&limit=100&continue=${encodeURIComponent(token)}` : "";
  const response = await send("GET", inView(`${path}?view=${view}${next}`));
  return (await response.json()) as Page<Relative>;
}

/** Replaces a document if it is still at the version. */
export async function putDocument(path: string, yaml: string, etag: string, write: Write): Promise<void> {
  await send("PUT", target(path, write), { "Content-Type": yamlType, "If-Match": etag, ...messageHeader(write.message) }, yaml);
}

/** Files that are sent with a document, by the names of their parts. */
export type Files = Record<string, File[]>;

/** Creates a document in a collection. Returns its path. */
export async function postDocument(collection: string, yaml: string, files: Files, write: Write): Promise<string> {
  const path = target(collection, write);
  const given = Object.entries(files).flatMap(([part, list]) => list.map((file) => [part, file] as const));
  if (given.length === 0) return locationOf(await send("POST", path, { "Content-Type": yamlType, ...messageHeader(write.message) }, yaml));
  const form = new FormData();
  form.set("metadata", new Blob([yaml], { type: yamlType }));
  for (const [part, file] of given) form.append(part, file);
  return locationOf(await send("POST", path, messageHeader(write.message), form));
}

/** The path of what was created, without the view that it was created in. */
function locationOf(response: Response): string {
  return (response.headers.get("Location") ?? "").split("?")[0] ?? "";
}

/** Deletes a document; with cascade also what is below it and what must go with it. */
export async function deleteDocument(path: string, etag: string, cascade: boolean, write: Write): Promise<void> {
  await send("DELETE", target(cascade ? `${path}?cascade=true` : path, write), { "If-Match": etag, ...messageHeader(write.message) });
}

/** What a deletion with cascade would take along. */
export async function planDeletion(path: string, changeSet?: string): Promise<Plan> {
  return (await (await send("DELETE", inView(`${path}?cascade=plan`, changeSet))).json()) as Plan;
}

/** One write of a batch. */
export type BatchOperation = ({ id: string; ifMatch?: string } & ({ op: "patch"; data: object } | { op: "delete"; cascade: boolean })) | { op: "create"; kind: string; key: Record<string, string>; data: object };

/** What a batch did, or would do, to a document. Without index it is one that a cascade deletes. */
export interface BatchResult {
  index?: number;
  effect: "created" | "updated" | "unchanged" | "deleted";
  id: string;
  kind: string;
  because?: { of: string; relation: string };
}

/** Does many writes together: all of them or none. Numbers may be Digits. */
export async function writeBatch(operations: BatchOperation[], write: Write): Promise<BatchResult[]> {
  const response = await send("POST", target("/v2/batch", write), { "Content-Type": "application/json", ...messageHeader(write.message) }, writeExact(operations));
  return ((await response.json()) as { results: BatchResult[] }).results;
}

/** Applies YAML documents with their kinds together: all of them or none. */
export async function applyText(yaml: string, write: Write): Promise<BatchResult[]> {
  const response = await send("POST", target("/v2/batch", write), { "Content-Type": yamlType, ...messageHeader(write.message) }, yaml);
  return ((await response.json()) as { results: BatchResult[] }).results;
}

function target(path: string, { dryRun = false, changeSet }: Write): string {
  return inView(dryRun ? `${path}${path.includes("?") ? "&" : "?"}dryRun=true` : path, changeSet);
}

/** The neighbourhood of a document: the document first, then by distance. */
export interface Graph {
  nodes: (Relative & { distance: number; more?: boolean })[];
  edges: { from: string; to: string; relation: "parent" | "reference"; weak?: boolean; cascade?: boolean }[];
  more?: boolean;
}

const mostNodes = 1000; // that the server answers with

/** Reads what is at most so many steps around a document. */
export async function readGraph(path: string, depth: string): Promise<Graph> {
  return (await (await send("GET", inView(`${path}?view=graph&depth=${depth}&limit=${mostNodes}`))).json()) as Graph;
}
