import { queryOptions } from "@tanstack/react-query";
import { send } from "./client";

/** The kinds on some document of which one has a right. */
export const kindsQuery = queryOptions({
  queryKey: ["access", "kinds"],
  queryFn: async () => {
    const { kinds } = (await (await send("GET", "/v2/access?view=kinds")).json()) as { kinds: Record<string, string[]> };
    return { read: new Set(kinds.read), create: new Set(kinds.create), update: new Set(kinds.update), delete: new Set(kinds.delete) };
  },
  staleTime: 60_000,
});

/** What one may want to do with a document. */
export type Right = "create" | "update" | "delete";

/** A rule by which documents change through approved change sets only. */
export interface Protection {
  on: string[]; // the ids that it covers, with all below them; "cluster/c1/*" only what is below
  approvals: number;
  by?: string[]; // whose approvals count; absent for everyone
  message?: string;
}

/** The role of a principal, and where. */
export interface Role {
  role: string;
  on?: string[];
}

/** Who one is, and what that allows. */
export const rightsQuery = queryOptions({
  queryKey: ["access", "self"],
  queryFn: async () =>
    (await (await send("GET", "/v2/access")).json()) as {
      principal: string;
      groups?: string[];
      authenticated?: string;
      expires?: string;
      roles?: Role[];
      protections?: Protection[]; // those that concern one
    },
  staleTime: 60_000,
});

/** Whether one may do something with a document, which need not exist, be it at once or through a change set. */
export function mayQuery(right: Right, id: string) {
  return queryOptions({
    queryKey: ["access", right, id],
    queryFn: async () => (await (await send("GET", `/v2/access?right=${right}&id=${encodeURIComponent(id)}`)).json()) as { allowed?: boolean },
    select: ({ allowed }) => allowed !== false,
    staleTime: 60_000,
  });
}

/** The place of a protection that covers a document; undefined where it does not. */
export function coveringPlace({ on }: Protection, id: string): string | undefined {
  return on.find((place) => (place.endsWith("/*") ? id.startsWith(place.slice(0, -1)) : id === place || id.startsWith(`${place}/`)));
}
