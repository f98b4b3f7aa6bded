import { queryOptions } from "@tanstack/react-query";
import { serverNow } from "../api/clock";
import { send } from "../api/client";
import type { Envelope } from "../api/documents";

/** How many environments are looked at. */
const most = 500;

/** The expiry date of an environment. */
function expiryOf(data: unknown): string | undefined {
  const { spec } = (data ?? {}) as { spec?: { definition?: { metadata?: { expirationDate?: unknown } } } };
  const date = spec?.definition?.metadata?.expirationDate;
  return typeof date === "string" ? date : undefined;
}

/** Whether the expiry date of an environment is past: a day ends with it, a moment when it comes. */
export function isExpired(data: unknown, now: number): boolean {
  const date = expiryOf(data);
  if (date === undefined) return false;
  const end = Date.parse(date);
  return (/^\d{4}-\d\d-\d\d$/.test(date) ? end + 86_400_000 : end) <= now;
}

/** An environment that has expired. */
export interface Expired {
  id: string;
  day: string;
}

/** The field selector of environments that may have expired: all whose expiry date is not after this day. */
export function expiringBy(now: number): string {
  return `spec.definition.metadata.expirationDate<${new Date(now + 86_400_000).toISOString().slice(0, 10)}`;
}

/** The environments whose expiry date is past, of the first of them, and whether there are more. */
export const expiredQuery = queryOptions({
  queryKey: ["documents", "expired"],
  queryFn: async () => {
    const now = serverNow();
    const dated = encodeURIComponent(expiringBy(now));
    const page = (await (await send("GET", `/v2/documents?kind=environment&limit=${most}&fieldSelector=${dated}`)).json()) as { items: Envelope[]; continue?: string };
    const expired = page.items.flatMap(({ id, data }): Expired[] => (isExpired(data, now) ? [{ id, day: expiryOf(data) ?? "" }] : []));
    return { expired, partial: page.continue !== undefined && page.continue !== "" };
  },
  refetchInterval: 60_000,
});
