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

/** Whether one may do something with a document, which need not exist. */
export function mayQuery(right: "create" | "update" | "delete", id: string) {
  return queryOptions({
    queryKey: ["access", right, id],
    queryFn: async () => ((await (await send("GET", `/v2/access?right=${right}&id=${encodeURIComponent(id)}`)).json()) as { allowed?: boolean }).allowed !== false,
    staleTime: 60_000,
  });
}
