import { queryOptions } from "@tanstack/react-query";
import { send } from "./client";

/** Whether one may do something with a document, which need not exist. */
export function mayQuery(right: "create" | "update" | "delete", id: string) {
  return queryOptions({
    queryKey: ["access", right, id],
    queryFn: async () => ((await (await send("GET", `/v2/access?right=${right}&id=${encodeURIComponent(id)}`)).json()) as { allowed?: boolean }).allowed !== false,
    staleTime: 60_000,
  });
}
