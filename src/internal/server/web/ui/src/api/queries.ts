import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { parseExact } from "../model/exact";
import { Model, type SchemaAnswer } from "../model/kinds";
import { api, bodyOf, send } from "./client";
import { readGraph, readRelatives, readSource, type Envelope, type Page } from "./documents";
import { isNotFound } from "./problem";
import { inView, moment, viewQuery } from "./view";

/** How many rows a page of a list has. */
export const pageSize = 100;

/** The ref-schema in force, or that was at the moment that the page shows. */
export const modelQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: async () => new Model(bodyOf(await api.GET("/v2/schema", { params: { query: moment() === "" ? {} : { at: moment() } } })) as unknown as SchemaAnswer),
  staleTime: 60_000,
});

/** One document, ready to be edited. */
export function sourceQuery(path: string) {
  return queryOptions({ queryKey: ["document", path], queryFn: () => readSource(path) });
}

/** How far the graph of a document reaches, in steps. */
export const graphDepths = ["1", "2", "3"];

/** What is some steps around a document. */
export function graphQuery(path: string, depth = "") {
  const steps = graphDepths.find((known) => known === depth) ?? "1";
  return queryOptions({ queryKey: ["graph", path, steps], queryFn: () => readGraph(path, steps) });
}

/** Whether there is a document at a path. */
export function existsQuery(path: string) {
  return queryOptions({
    queryKey: ["exists", path],
    queryFn: async () => {
      try {
        await send("GET", inView(path));
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },
  });
}

/** What a list of documents shows. Members that are empty do not narrow it. */
export interface Filter {
  kind?: string;
  under?: string;
  labelSelector?: string;
  fieldSelector?: string;
  contains?: string; // in the name of a member or in a value, not of a secret
}

/** Pages of the documents that fit a filter, in the order of ids. */
export function documentsQuery(filter: Filter) {
  return infiniteQueryOptions({
    queryKey: ["documents", filter],
    initialPageParam: "",
    queryFn: async ({ pageParam }) => {
      const query = Object.fromEntries(Object.entries({ ...filter, continue: pageParam, ...viewQuery() }).filter(([, text]) => text !== ""));
      return bodyOf(await api.GET("/v2/documents", { params: { query: { ...query, limit: pageSize } } })) as unknown as Page<Envelope>;
    },
    getNextPageParam: (page) => page.continue,
  });
}

/** The first documents that fit a filter, and whether there are more. */
export function firstDocumentsQuery(filter: Filter) {
  return queryOptions({
    queryKey: ["documents", "first", filter],
    queryFn: async () => {
      const query = Object.fromEntries(Object.entries({ ...filter, ...viewQuery() }).filter(([, text]) => text !== ""));
      return bodyOf(await api.GET("/v2/documents", { params: { query: { ...query, limit: pageSize } } })) as unknown as Page<Envelope>;
    },
  });
}

/** A document as a row of a list. */
export interface Row {
  id: string;
  etag: string;
  revision: number;
  updated: string;
  created: string;
  /** Its data with the status as a member, and all digits of its numbers. */
  document: Record<string, unknown>;
}

/** The data and the status of a document, as parseExact reads them. */
interface ExactEnvelope {
  data?: Record<string, unknown>;
  status?: unknown;
}

function rowOf({ id, etag, revision, updated, created }: Envelope, exact?: ExactEnvelope): Row {
  return { id, etag, revision, updated, created, document: { ...exact?.data, status: exact?.status } };
}

/** A change of a document, with the row that it is since then unless it is deleted. */
export interface RowChange {
  op: "created" | "updated" | "deleted";
  id: string;
  kind: string;
  row?: Row;
}

/** Reads the changes of a transaction, as a watch tells them. */
export function readRowChanges(text: string): RowChange[] {
  const exact = parseExact(text) as { changes: { document?: ExactEnvelope }[] };
  const { changes } = JSON.parse(text) as { changes: (RowChange & { document?: Envelope })[] };
  return changes.map(({ op, id, kind, document }, i) => ({ op, id, kind, row: document && rowOf(document, exact.changes[i]?.document) }));
}

/** How many rows the pages of a table have after the first, which is to be there soon. */
const tablePageSize = 1_000;

/** Pages of the documents that fit a filter, for the columns of their kind. */
export function rowsQuery(filter: Filter) {
  return infiniteQueryOptions({
    queryKey: ["documents", "rows", filter],
    initialPageParam: "",
    queryFn: async ({ pageParam }): Promise<Page<Row>> => {
      const query = new URLSearchParams(Object.entries({ ...filter, continue: pageParam, limit: String(pageParam === "" ? pageSize : tablePageSize) }).filter(([, text]) => text !== ""));
      const text = await (await send("GET", inView(`/v2/documents?${query}`))).text();
      const { items } = parseExact(text) as { items: ExactEnvelope[] };
      const page = JSON.parse(text) as Page<Envelope>;
      return { ...page, items: page.items.map((item, i) => rowOf(item, items[i])) };
    },
    getNextPageParam: (page) => page.continue,
    structuralSharing: false,
  });
}

/** Pages of what is around a document. */
export function relativesQuery(path: string, view: "references" | "referrers" | "children") {
  return infiniteQueryOptions({
    queryKey: ["relatives", path, view],
    initialPageParam: "",
    queryFn: ({ pageParam }) => readRelatives(path, view, pageParam),
    getNextPageParam: (page) => page.continue,
  });
}
