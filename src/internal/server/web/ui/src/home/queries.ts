import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf, send } from "../api/client";
import type { Envelope } from "../api/documents";

/** How often what Home shows is read again while it is looked at. */
export const every = 10_000;

/** How many documents there are of each kind, of those that one may read. */
export const countsQuery = queryOptions({
  queryKey: ["documents", "counts"],
  queryFn: async () => bodyOf(await api.GET("/v2/counts")),
  refetchInterval: every,
});

/** How many documents of each kind there are below one. */
export function countsBelowQuery(id: string) {
  return queryOptions({
    queryKey: ["documents", "counts", id],
    queryFn: async () => ((await (await send("GET", `/v2/counts?under=${encodeURIComponent(id)}`)).json()) as { kinds: Record<string, number> }).kinds,
  });
}

/** A check of the server. */
export interface Check {
  name: string;
  status: "ok" | "degraded" | "failed";
  detail?: string;
}

/** Whether the server can serve, with its checks. One that fails answers 503, with the same body. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => (await (await fetch("/readyz")).json()) as { status: Check["status"]; checks: Check[] },
  refetchInterval: every,
});

/** What is wrong in the instance repository. */
export interface Finding {
  reason?: string;
  file?: string;
  line?: number;
  column?: number;
  path?: string;
  message: string;
  remedy?: string;
}

/** Where the store stands against an instance repository. */
export interface GitState {
  /** Its name, where there are several. */
  name?: string;
  updated: string;
  head?: string;
  defects: { total: number; first: Finding[] | null };
}

/** The name of a repository that is attached alone. */
const alone = "attached";

/** The id of the panel of a repository. */
export const gitPanelId = (name?: string) => (name ? `git-${name}` : "git");

/** What the store follows of its instance repositories, with when that was last. */
export const gitQuery = queryOptions({
  queryKey: ["documents", "git"],
  queryFn: async () => {
    const { items } = (await (await send("GET", "/v2/documents?kind=instanceRepository&limit=1000")).json()) as { items: Envelope[] };
    return items.map(({ key, status, updated }): GitState => {
      const name = key.instanceRepository;
      return { defects: { total: 0, first: [] }, ...(status as Partial<GitState> | undefined), updated, name: name === alone ? undefined : name };
    });
  },
  refetchInterval: every,
});

/** The names of ActiveResolutions that have no solution, of the first hundred. */
export const unsolvedQuery = queryOptions({
  queryKey: ["documents", "unsolved"],
  queryFn: async () => {
    const { items } = (await (await send("GET", "/v2/documents?kind=activeResolution&limit=100")).json()) as { items: Envelope[] };
    return items.flatMap(({ key, status }) => {
      const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string; message: string }[] };
      const failed = conditions.find(({ type, status: is }) => type === "Resolved" && is === "False");
      return failed ? [{ name: key.activeResolution ?? "", message: failed.message }] : [];
    });
  },
  refetchInterval: every,
});

/** What failed of the newest revision of layered documents. */
export const failedValidationsQuery = queryOptions({
  queryKey: ["documents", "failed-validations"],
  queryFn: async () => bodyOf(await api.GET("/api/v1.0/failed-validations")),
  refetchInterval: every,
});
