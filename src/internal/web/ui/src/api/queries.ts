import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { Model, type SchemaAnswer } from "../model/kinds";
import { api, bodyOf } from "./client";
import { readRelatives, readSource, type Envelope, type Page } from "./documents";
import { viewQuery } from "./view";

/** How many rows a page of a list has. */
export const pageSize = 100;

/** The ref-schema in force. */
export const modelQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: async () => new Model(bodyOf(await api.GET("/v2/schema")) as unknown as SchemaAnswer),
  staleTime: 60_000,
});

/** One document, ready to be edited. */
export function sourceQuery(path: string) {
  return queryOptions({ queryKey: ["document", path], queryFn: () => readSource(path) });
}

/** What a list of documents shows. Members that are empty do not narrow it. */
export interface Filter {
  kind?: string;
  under?: string;
  labelSelector?: string;
  fieldSelector?: string;
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

/** Pages of what is around a document. */
export function relativesQuery(path: string, view: "references" | "referrers" | "children") {
  return infiniteQueryOptions({
    queryKey: ["relatives", path, view],
    initialPageParam: "",
    queryFn: ({ pageParam }) => readRelatives(path, view, pageParam),
    getNextPageParam: (page) => page.continue,
  });
}
