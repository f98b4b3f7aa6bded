import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, bodyOf, messageHeader, send } from "../api/client";
import type { Page, Write } from "../api/documents";
import { isNotFound } from "../api/problem";
import { inView } from "../api/view";
import type { components } from "../api/openapi";

/** What happened to a document in one transaction. */
export type Op = "created" | "updated" | "deleted";

/** Who wrote something, why, and where it comes from. */
export interface Provenance {
  principal?: string; // absent where the server does not know who asks
  message?: string;
  origin?: string;
}

/** A version of a document. */
export interface Version extends Provenance {
  op: Op;
  version: string; // of a deletion that of the last state
  position?: string; // absent where it is older than the history
  time?: string;
  paths?: string[]; // of values that differ from the version before
  morePaths?: number;
  files?: boolean;
  status?: boolean;
  erased?: boolean;
}

/** What was written together. */
export interface Transaction extends Provenance {
  position: string;
  time: string;
  changes: { op: Op; id: string; kind: string; version: string }[];
}

/** Which transactions are shown. Members that are absent do not narrow it. */
export interface TransactionFilter {
  under?: string;
  kind?: string;
  principal?: string;
  from?: string;
  to?: string;
}

/** What a write does, or would do. */
export type Results = components["schemas"]["BatchResults"];

const pageSize = 50;

/** Pages of the versions of a document, newest first. */
export function historyQuery(path: string) {
  return infiniteQueryOptions({
    queryKey: ["history", path],
    initialPageParam: "",
    queryFn: ({ pageParam }) => readHistory(path, pageParam),
    getNextPageParam: (page) => page.continue,
    retry: false,
  });
}

/** Reads a page of the versions of a document, the first one without a token. */
export async function readHistory(path: string, token: string, limit = pageSize): Promise<Page<Version>> {
  const next = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
  return (await (await send("GET", `${path}?view=history&limit=${limit}${next}`)).json()) as Page<Version>;
}

/** The last version of a document that is stored, which says who wrote it; null where none is kept. */
export function lastVersionQuery(path: string) {
  return queryOptions({ queryKey: [...historyQuery(path).queryKey, "last"], queryFn: async () => (await readHistory(path, "", 1)).items[0] ?? null, retry: false });
}

/** Pages of transactions, newest first. */
export function transactionsQuery(filter: TransactionFilter) {
  return infiniteQueryOptions({
    queryKey: ["transactions", filter],
    initialPageParam: "",
    queryFn: async ({ pageParam }) => {
      const query = Object.fromEntries(Object.entries({ ...filter, before: pageParam }).filter(([, text]) => text));
      return bodyOf(await api.GET("/v2/transactions", { params: { query: { ...query, limit: pageSize } } })) as unknown as { items: Transaction[]; before?: string };
    },
    getNextPageParam: (page) => page.before,
    retry: false,
  });
}

/** The last transaction that changed a document; undefined where none is kept. */
export async function lastTransaction(id: string): Promise<Transaction | undefined> {
  const { items } = bodyOf(await api.GET("/v2/transactions", { params: { query: { id, limit: 1 } } })) as unknown as { items: Transaction[] };
  return items[0];
}

/** The YAML of a document as of a position, or of now; empty where it is not there. */
export function textQuery(path: string, position?: string) {
  return queryOptions({
    queryKey: ["text", path, position ?? ""],
    queryFn: async () => {
      try {
        return await readText(path, position);
      } catch (error) {
        if (isNotFound(error)) return "";
        throw error;
      }
    },
    staleTime: position === undefined ? 0 : Infinity,
    retry: false,
  });
}

/** Reads the YAML of a document as of a position or a version, or of now. */
export async function readText(path: string, at?: string): Promise<string> {
  return (await send("GET", at === undefined ? path : `${path}?at=${encodeURIComponent(at)}`, { Accept: "application/yaml" })).text();
}

/** Gives a document the data and files of an earlier version, or says what that would do. */
export function rollback(id: string, version: string, how: Write): Promise<Results> {
  return write("/v2/rollback", how, JSON.stringify({ id, version }));
}

/** Undoes a transaction by another one, or says what that would do. */
export function revert(position: string, how: Write): Promise<Results> {
  return write(`/v2/transactions/${encodeURIComponent(position)}/revert`, how);
}

/** Gives a document and all below it another id, or says what that would do. */
export function rename(id: string, to: string, how: Write): Promise<Results> {
  return write("/v2/rename", how, JSON.stringify({ id, to }));
}

async function write(path: string, { message, dryRun, changeSet }: Write, body?: string): Promise<Results> {
  const headers = { "Content-Type": "application/json", ...messageHeader(message) };
  return (await (await send("POST", inView(dryRun ? `${path}?dryRun=true` : path, changeSet), headers, body)).json()) as Results;
}
