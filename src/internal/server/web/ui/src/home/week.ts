import { queryOptions } from "@tanstack/react-query";
import { serverNow } from "../api/clock";
import { api, bodyOf } from "../api/client";
import type { Transaction } from "../history/queries";

const day = 86_400_000;

/** How many days are looked back. */
export const days = 7;

/** How many transactions are read for that at most. */
const most = 200;

/** The transactions of a week, newest first; without those that are older than the last that is read, as `whole` says. */
export const weekQuery = queryOptions({
  queryKey: ["transactions", "week"],
  queryFn: async () => {
    const from = new Date(serverNow() - days * day).toISOString();
    const { items, before } = bodyOf(await api.GET("/v2/transactions", { params: { query: { from, limit: most } } })) as unknown as { items: Transaction[]; before?: string };
    return { items, whole: before === undefined, now: serverNow() };
  },
  refetchInterval: 60_000,
});

/** How many documents of a kind there were at the end of each of the last days, the last of which is now. */
export function countsByDay(now: number, count: number, kind: string, transactions: Pick<Transaction, "time" | "changes">[]): number[] {
  const gained = Array.from({ length: days }, () => 0); // by how many days ago
  for (const { time, changes } of transactions) {
    const ago = Math.floor((now - Date.parse(time)) / day);
    for (const change of changes) {
      if (change.kind === kind && ago >= 0 && ago < days) gained[ago] = (gained[ago] ?? 0) + ({ created: 1, updated: 0, deleted: -1 }[change.op] ?? 0);
    }
  }
  const counts = [count];
  for (const n of gained) counts.unshift((counts[0] ?? 0) - n);
  return counts;
}
