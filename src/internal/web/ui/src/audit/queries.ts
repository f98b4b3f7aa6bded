import { queryOptions } from "@tanstack/react-query";
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

/** Records, the newest first; `more` where there are more in the time than are read. */
export interface AuditRecords {
  records: AuditRecord[];
  more: boolean;
}

const pageSize = 1_000;

/** How many records are read at most: the server has them oldest first. */
export const mostRecords = 10_000;

/** How far the page looks back where nothing else is said. */
const usualTime = 24 * 3_600_000;

/** The records that fit a filter. */
export function recordsQuery({ principal, action, kind, under, from, to }: AuditSearch) {
  return queryOptions({
    queryKey: ["audit", principal, action, kind, under, from, to],
    queryFn: async ({ signal }): Promise<AuditRecords> => {
      const since = from ?? new Date((to === undefined ? Date.now() : Date.parse(to)) - usualTime).toISOString();
      const filter = Object.entries({ principal, action, kind, under, from: since, to }).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const query = new URLSearchParams([...filter, ["limit", String(pageSize)]]);
      const records: AuditRecord[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        if (records.length >= mostRecords) return { records: records.toReversed(), more: true };
        if (after !== "") query.set("after", after);
        const page = await readPage(query, signal); // oxlint-disable-line no-await-in-loop -- each page says where the next one begins
        records.push(...page.items);
        ({ after } = page);
      }
      return { records: records.toReversed(), more: false };
    },
    retry: false,
  });
}

async function readPage(query: URLSearchParams, signal: AbortSignal): Promise<{ items: AuditRecord[]; after?: string }> {
  return (await (await send("GET", `/v2/audit?${query}`, {}, undefined, undefined, signal)).json()) as { items: AuditRecord[]; after?: string };
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
