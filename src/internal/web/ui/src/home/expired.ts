import { queryOptions } from "@tanstack/react-query";
import { send } from "../api/client";
import type { Envelope } from "../api/documents";

/** How many environments are looked at. */
const most = 500;

/** Whether the expiry date of an environment is past: a day ends with it, a moment when it comes. */
export function isExpired(data: unknown, now: number): boolean {
  const { spec } = (data ?? {}) as { spec?: { definition?: { metadata?: { expirationDate?: unknown } } } };
  const date = spec?.definition?.metadata?.expirationDate;
  if (typeof date !== "string") return false;
  const end = Date.parse(date);
  return (/^\d{4}-\d\d-\d\d$/.test(date) ? end + 86_400_000 : end) <= now;
}

/** The ids of environments whose expiry date is past, of the first that there are. */
export const expiredQuery = queryOptions({
  queryKey: ["documents", "expired"],
  queryFn: async () => {
    const { items } = (await (await send("GET", `/v2/documents?kind=environment&limit=${most}`)).json()) as { items: Envelope[] };
    return items.filter(({ data }) => isExpired(data, Date.now())).map(({ id }) => id);
  },
  refetchInterval: 60_000,
});
