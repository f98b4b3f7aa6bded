import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { parseAllDocuments } from "yaml";
import { send } from "../api/client";
import type { Problem } from "../api/problem";
import { inView } from "../api/view";
import { plain } from "../yaml/merge";

/** What tells documents apart in a revision. Control documents have no layer. */
export interface LayeredId {
  schema: string;
  name: string;
  layer?: string;
}

/** A revision in a list. */
export interface Revision {
  id: number;
  createdAt: string;
  buckets: string[];
  tags: string[];
}

/** What put a value where it is. Members that may not be seen are missing. */
export interface Origin {
  document?: LayeredId;
  how: string;
  number?: number;
  path?: string;
  source?: { document: LayeredId; path: string; origin: Origin };
}

/** A value of rendered data, and what was there before it, the last one first. */
export interface ValueOrigin {
  path: string;
  value: unknown;
  origin: Origin;
  replaced?: { value: unknown; origin: Origin }[];
}

/** What a document is made of. Values are there for one that is rendered. */
export interface Origins {
  document: LayeredId;
  bucket: string;
  abstract?: boolean;
  parents: LayeredId[];
  replaces?: LayeredId;
  sources: LayeredId[];
  values?: ValueOrigin[];
}

/** How a document differs. */
export type Change = "added" | "removed" | "changed";

/** A rendered document that differs between two revisions. */
export interface Difference {
  schema: string;
  name: string;
  change: Change;
}

/** What became of a bucket between two revisions. */
export interface ComparedBucket {
  bucket: string;
  state: string;
  differences: Difference[];
}

const base = "/api/v1.0";
const headers = { Accept: "application/x-yaml" };
const pageSize = 50;

interface Status {
  message?: string;
  details?: { errorType?: string; messageList?: { message: string; diagnostic?: string }[] };
}

/** Reads an error, which this part of the API writes in its own form. */
async function readStatus(response: Response): Promise<Problem> {
  const [status] = parse(await response.text()) as (Status | null)[];
  const parts = status?.details?.messageList ?? [];
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    code: "refused",
    reason: status?.details?.errorType,
    detail: status?.message ?? response.statusText,
    errors: parts.map(({ message, diagnostic }) => ({ code: "refused", message, remedy: diagnostic })),
  };
}

function parse(text: string): unknown[] {
  const documents = parseAllDocuments(text, { intAsBigInt: true });
  return Array.isArray(documents) ? documents.map((document) => plain(document.toJS())) : [];
}

async function get(path: string): Promise<{ text: string; next?: string }> {
  const response = await send("GET", inView(base + path), headers, undefined, readStatus);
  return { text: await response.text(), next: response.headers.get("Dovetail-Continue") ?? undefined };
}

/** Pages of the revisions, the newest first. */
export const revisionsQuery = infiniteQueryOptions({
  queryKey: ["revisions"],
  initialPageParam: 0,
  queryFn: async ({ pageParam }) => {
    const [answer] = parse((await get(`/revisions?order=desc&limit=${pageSize}&offset=${pageParam}`)).text) as { count: number; results: Revision[] }[];
    return answer ?? { count: 0, results: [] };
  },
  getNextPageParam: (page, _, before) => (page.results.length === pageSize ? before + pageSize : undefined),
});

/** The layers of a revision, the highest first; empty without a layering policy. */
export function layersQuery(revision: number) {
  return queryOptions({
    queryKey: ["layers", revision],
    queryFn: async () => {
      const [policy] = parse((await get(`/revisions/${revision}/documents?schema=deckhand/LayeringPolicy/v1`)).text) as { data?: { layerOrder?: string[] } }[];
      return policy?.data?.layerOrder ?? [];
    },
  });
}

/** Pages of the documents of a layer with their parents; the layer "" has the control documents, and undefined is all of them. */
export function layerQuery(revision: number, layer: string | undefined) {
  const of = layer === undefined ? "" : `&metadata.layeringDefinition.layer=${encodeURIComponent(layer)}`;
  return infiniteQueryOptions({
    queryKey: ["layer", revision, layer],
    initialPageParam: "",
    queryFn: async ({ pageParam }) => {
      const { text, next } = await get(`/revisions/${revision}/origins?limit=${pageSize}${of}${pageParam === "" ? "" : `&continue=${encodeURIComponent(pageParam)}`}`);
      return { items: parse(text) as Origins[], next };
    },
    getNextPageParam: (page) => page.next,
  });
}

/** How many documents stand side by side. */
const mostOnBoard = 2000;

/** The documents of a revision with what they are made of, as many as stand side by side, and whether there are more. */
export function boardQuery(revision: number) {
  return queryOptions({
    queryKey: ["board", revision],
    queryFn: async () => {
      const items: Origins[] = [];
      let next: string | undefined = "";
      while (next !== undefined && items.length < mostOnBoard) {
        // oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
        const answer: { text: string; next?: string } = await get(`/revisions/${revision}/origins?limit=${namesAtOnce}${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`);
        items.push(...(parse(answer.text) as Origins[]));
        ({ next } = answer);
      }
      return { items, more: next !== undefined };
    },
    staleTime: Infinity, // revisions do not change
  });
}

function choosing({ schema, name, layer = "" }: LayeredId): string {
  return new URLSearchParams({ schema, "metadata.name": name, "metadata.layeringDefinition.layer": layer }).toString();
}

/** A document as it was put and as it is rendered, with where its values come from; rendered is empty for one that is not rendered by itself. */
export function layeredQuery(revision: number, id: LayeredId) {
  return queryOptions({
    queryKey: ["layered", revision, id],
    queryFn: async () => {
      const [raw, rendered, origins] = await Promise.all(["documents?", "rendered-documents?", "origins?path=.&"].map((what) => get(`/revisions/${revision}/${what}${choosing(id)}`)));
      return { raw: raw?.text ?? "", rendered: rendered?.text ?? "", origins: parse(origins?.text ?? "")[0] as Origins | undefined };
    },
  });
}

/** What became of each bucket between two revisions, and of the documents of those that differ. */
export function compareQuery(from: number, to: number) {
  return queryOptions({
    queryKey: ["deepdiff", from, to],
    queryFn: async (): Promise<ComparedBucket[]> => {
      const [answer = {}] = parse((await get(`/revisions/${from}/deepdiff/${to}`)).text) as Record<string, unknown>[];
      return Object.entries(answer)
        .filter((entry): entry is [string, string] => typeof entry[1] === "string")
        .map(([bucket, state]) => ({ bucket, state, differences: differencesOf(answer[`${bucket} diff`]) }));
    },
  });
}

const parts = [
  ["document_changed", "changed"],
  ["document_added", "added"],
  ["document_deleted", "removed"],
] as const;

/** Reads one part of the differences: a list of documents, or what differs by the document, which it writes as ('schema', 'name'). */
export function differencesOf(diff: unknown): Difference[] {
  if (typeof diff !== "object" || diff === null) return [];
  const all = diff as Record<string, { details?: unknown } | undefined>;
  return parts.flatMap(([part, change]) => {
    const details = all[part]?.details;
    const ids = Array.isArray(details) ? (details as string[][]) : Object.keys(details ?? {}).map((id) => [...id.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text));
    return ids.map(([schema = "", name = ""]) => ({ schema, name, change }));
  });
}

/** The names of the documents of a layer in any of some revisions, each as its schema and name. */
export function inLayerQuery(revisions: number[], layer: string) {
  return queryOptions({
    queryKey: ["in-layer", revisions, layer],
    queryFn: async () => {
      const names = new Set<string>();
      for (const revision of revisions) {
        for (let next: string | undefined = ""; next !== undefined; ) {
          // oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
          const page = await get(`/revisions/${revision}/origins?limit=${namesAtOnce}&metadata.layeringDefinition.layer=${encodeURIComponent(layer)}${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`);
          for (const { document } of parse(page.text) as Origins[]) names.add(documentKey(document));
          ({ next } = page);
        }
      }
      return names;
    },
    staleTime: Infinity, // revisions do not change
  });
}

const namesAtOnce = 500;

/** A document as one text. */
export function documentKey({ schema, name }: { schema: string; name: string }): string {
  return `${schema} ${name}`;
}

/** A document as it is rendered in each of two revisions, "" where it is not. */
export function renderedQuery(from: number, to: number, schema: string, name: string) {
  return queryOptions({
    queryKey: ["rendered", from, to, schema, name],
    queryFn: async () => {
      const chosen = new URLSearchParams({ schema, "metadata.name": name }).toString();
      const texts = await Promise.all([from, to].map(async (revision) => (revision === 0 ? "" : (await get(`/revisions/${revision}/rendered-documents?${chosen}`)).text)));
      return { before: texts[0] ?? "", after: texts[1] ?? "" };
    },
  });
}

/** Names a revision. */
export async function tagRevision(revision: number, tag: string): Promise<void> {
  await send("POST", inView(`${base}/revisions/${revision}/tags/${encodeURIComponent(tag)}`), { "Content-Type": "application/x-yaml" }, undefined, readStatus);
}
