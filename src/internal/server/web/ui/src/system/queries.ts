import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf, send } from "../api/client";
import { ApiError } from "../api/problem";

/** How often what the page shows is read again while it is looked at. */
const every = 10_000;

/** The answer, or null where one may not see it. */
async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 403) return null;
    throw error;
  }
}

/** The processes that serve the store: their leases, limits and load. Null for those who may not read everything. */
export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: () => unlessForbidden(async () => bodyOf(await api.GET("/v2/system"))),
  refetchInterval: every,
});

export type System = NonNullable<Awaited<ReturnType<NonNullable<typeof systemQuery.queryFn>>>>;

/** What the server is: its services, with why some are off, and how sensitive kinds are stored. */
export const indexQuery = queryOptions({
  queryKey: ["index"],
  queryFn: async () =>
    (await (await send("GET", "/", { Accept: "application/json" })).json()) as {
      version?: string;
      services: { name: string; kinds: string[]; off?: string }[];
      encryption?: { sensitive: string[]; encrypted: boolean; keys?: { id: string }[] };
    },
  staleTime: 60_000,
});

/** On which kinds one has which right. */
export const kindRightsQuery = queryOptions({
  queryKey: ["access", "rights"],
  queryFn: async () => ((await (await send("GET", "/v2/access?view=kinds")).json()) as { kinds: Record<string, string[]> }).kinds,
  staleTime: 60_000,
});

/** Whether the audit records that are kept are those that were written. */
export const auditQuery = queryOptions({
  queryKey: ["audit", "verification"],
  queryFn: () => unlessForbidden(async () => (await (await send("GET", "/v2/audit/verification")).json()) as { blocks: number; records: number; unsealed: number; total: number }),
  staleTime: 60_000,
});

/** The ref-schema in force, since when. */
export const schemaVersionQuery = queryOptions({
  queryKey: ["schema", "versions"],
  queryFn: async () => ((await (await send("GET", "/v2/schema/versions")).json()) as { items: { version: number; hash: string; since: string; principal?: string }[] }).items[0] ?? null,
  staleTime: 60_000,
});

/** The number up to which the server counts the events that a webhook is behind. */
export const maxBehind = 1000;

/** Who is told of events. */
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: () => unlessForbidden(async () => ((await (await send("GET", "/v2/webhooks")).json()) as { items: { name: string; url: string; delivered: number; behind: number; deadLetters: number; failure?: { error: string; since: string } }[] }).items),
  refetchInterval: every,
});
