import { useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Page } from "../api/documents";
import { readRowChanges, rowsQuery, type Filter, type Row, type RowChange } from "../api/queries";
import { changeSet, moment } from "../api/view";
import { follow } from "../live/watch";

/** How long changes are collected before the table shows them, and how long a row is marked as changed. */
const [calm, marked] = [500, 3_000];

/** The shortest time between two reads of a whole list, for each thousand of its rows. */
const reading = 2_000;

/** Keeps the rows of a kind current. Returns the ids of those that were changed a moment ago. */
export function useLiveRows(kind: string, filter: Filter): ReadonlySet<string> {
  const queries = useQueryClient();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const asked = JSON.stringify(filter);
  useEffect(() => {
    if (changeSet() !== "" || moment() !== "") return undefined;
    const stop = new AbortController();
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const later = (time: number, act: () => void) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        act();
      }, time);
      timers.add(timer);
    };
    const key = rowsQuery(JSON.parse(asked) as Filter).queryKey;
    let waiting: RowChange[] = [];
    let readsAt = 0; // when the list is read again, or was last
    const readAgain = () => {
      if (readsAt > Date.now()) return;
      const rows = queries.getQueryData(key)?.pages.reduce((sum, page) => sum + page.items.length, 0) ?? 0;
      const wait = Math.max(calm, readsAt + reading * Math.ceil(rows / 1_000) - Date.now());
      readsAt = Date.now() + wait;
      later(wait, () => void queries.invalidateQueries({ queryKey: key }));
    };
    const show = () => {
      const changes = waiting;
      waiting = [];
      const { known, others } = put(queries, key, changes);
      if (others || queries.isFetching({ queryKey: key }) > 0 || narrows(JSON.parse(asked) as Filter)) readAgain();
      if (known.size === 0) return;
      setChanged((before) => new Set([...before, ...known]));
      later(marked, () => setChanged((before) => new Set([...before].filter((id) => !known.has(id)))));
    };
    const onChanges = (text?: string) => {
      if (text === undefined) {
        readAgain();
        return;
      }
      const changes = readRowChanges(text).filter((change) => change.kind === kind);
      if (changes.length === 0) return;
      if (waiting.length === 0) later(calm, show);
      waiting.push(...changes);
    };
    follow({ kind }, onChanges, stop.signal);
    return () => {
      stop.abort();
      timers.forEach(clearTimeout);
    };
  }, [asked, kind, queries]);
  return changed;
}

/** Whether a change can make a row one that a filter does not want any more. */
function narrows({ labelSelector, fieldSelector, contains }: Filter): boolean {
  return (labelSelector ?? fieldSelector ?? contains) !== undefined;
}

/** Puts changes into a list that was read: what is known of it, and whether there were changes of other documents. */
function put(queries: QueryClient, key: ReturnType<typeof rowsQuery>["queryKey"], changes: RowChange[]): { known: Set<string>; others: boolean } {
  const latest = new Map(changes.map((change) => [change.id, change]));
  const known = new Set<string>();
  queries.setQueryData(key, (list?: InfiniteData<Page<Row>>) => list && {
    ...list,
    pages: list.pages.map((page) => ({
      ...page,
      items: page.items.flatMap((row) => {
        const change = latest.get(row.id);
        if (change === undefined) return [row];
        if (change.row?.etag !== row.etag) known.add(row.id);
        else latest.delete(row.id); // a write of this page, which was read already
        return change.row ?? [];
      }),
    })),
  });
  return { known, others: [...latest.values()].some(({ id, op }) => op !== "deleted" && !known.has(id)) };
}
