import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AuditSearch } from "../addresses";
import { send } from "../api/client";
import { ApiError } from "../api/problem";

/** What happened to one document. */
export interface Entry {
  effect?: "created" | "updated" | "deleted";
  verb?: string; // of what was refused
  id: string;
  kind?: string;
  before?: string; // the version, absent where there was none
  after?: string;
}

/** Who did what, when. */
export interface AuditRecord {
  id: string;
  at: string;
  event?: "read" | "reveal" | "login"; // absent of a write
  principal: string; // "" where the server does not know who asks
  groups?: string[];
  operations: Entry[];
  total: number; // how many documents there were, or refused logins
  dryRun?: boolean;
  refused?: string;
  address?: string;
}

/** What records can be selected by. */
export const actions = ["created", "updated", "deleted", "read", "reveal", "login", "refused"] as const;

export type Action = (typeof actions)[number];

/** How many records a page has. */
const pageSize = 200;

/** Pages of the records that fit a filter, the newest first. */
export function recordsQuery({ principal, action, kind, under, from, to }: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ["audit", principal, action, kind, under, from, to],
    initialPageParam: "",
    queryFn: async ({ pageParam, signal }) => {
      const given = { principal, action, kind, under, from, to, order: "desc", limit: String(pageSize), after: pageParam || undefined };
      const query = new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1])));
      return (await (await send("GET", `/v2/audit?${query}`, {}, undefined, undefined, signal)).json()) as { items: AuditRecord[]; after?: string };
    },
    getNextPageParam: (page) => page.after,
    retry: false,
  });
}

/** Whether one may see the records. */
export const mayAuditQuery = queryOptions({
  queryKey: ["access", "audit"],
  queryFn: async () => {
    try {
      await send("GET", "/v2/audit?limit=1");
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.problem.status === 403) return false;
      throw error;
    }
  },
  staleTime: 60_000,
});
