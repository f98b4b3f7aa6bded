import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { serverNow } from "../api/clock";
import { sourceQuery } from "../api/queries";
import { historyQuery, lastTransaction, type Op, type Provenance } from "../history/queries";
import { moment } from "../api/view";
import { follow, type DocumentChange } from "./watch";

/** What another user did to a document while it is open. */
export interface LiveChange extends Provenance {
  op: Op;
  time: string;
}

/** What tells versions of a document apart. */
interface Version {
  uid: string;
  revision: number;
}

/** What is known of others' changes of a document. */
export interface Live {
  change?: LiveChange;
  dismiss: () => void;
}

/** The shortest time between two reads of a document, however often it changes. */
const calm = 1_000;

/** Keeps a document current, and says what another user did to it last. */
export function useLive(id: string, path: string): Live {
  const queries = useQueryClient();
  const [change, setChange] = useState<LiveChange>();
  const seen = useRef<string>(undefined); // the position of the last transaction that was shown
  useEffect(() => {
    if (moment() !== "") return undefined;
    const stop = new AbortController();
    let [latest, busy]: [DocumentChange | "unknown" | undefined, boolean] = [undefined, false];
    const show = async () => {
      busy = true;
      /* oxlint-disable no-await-in-loop -- one change after the other */
      while (latest && !stop.signal.aborted) {
        const next: DocumentChange | "unknown" = latest;
        latest = undefined;
        const own = queries.isMutating() > 0;
        const before = versionOf(queries, path);
        if (next === "unknown" || !isKnown(queries, path, next)) await refresh(queries, path);
        const op = next === "unknown" ? opSince(before, versionOf(queries, path)) : isKnown(queries, path, next, before) ? undefined : next.op;
        if (op !== undefined) {
          const found = own ? undefined : await lastTransaction(id).catch(() => undefined);
          if (!own && !stop.signal.aborted && (found === undefined || found.position !== seen.current)) {
            seen.current = found?.position;
            setChange({ ...found, op, time: found?.time ?? new Date(serverNow()).toISOString() });
          }
        }
        await new Promise((resolve) => {
          setTimeout(resolve, calm);
        });
      }
      /* oxlint-enable no-await-in-loop */
      busy = false;
    };
    const onChange = (text?: string) => {
      const changes = text === undefined ? undefined : (JSON.parse(text) as { changes: DocumentChange[] }).changes;
      latest = changes ? (changes.findLast((one) => one.id === id) ?? latest) : "unknown";
      if (!busy) void show();
    };
    follow({ id, path }, onChange, stop.signal);
    return () => stop.abort();
  }, [id, path, queries]);
  return { change, dismiss: () => setChange(undefined) };
}

/** The version of a document that the page has read; nothing where there is none. */
function versionOf(queries: QueryClient, path: string): Version | undefined {
  const { data, status } = queries.getQueryState(sourceQuery(path).queryKey) ?? {};
  return status === "error" ? undefined : data?.envelope;
}

/** Whether a change is of a version that the page had read by then, as after a save of its own. */
function isKnown(queries: QueryClient, path: string, { op, uid, revision }: DocumentChange, known = versionOf(queries, path)): boolean {
  return op !== "deleted" && known?.uid === uid && known.revision >= revision;
}

/** What happened between two versions that were read. */
function opSince(before?: Version, now?: Version): Op | undefined {
  if (now === undefined) return before && "deleted";
  if (before === undefined) return "created";
  return before.uid === now.uid && before.revision === now.revision ? undefined : "updated";
}

/** Reads again what the page shows of a document. */
async function refresh(queries: QueryClient, path: string): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: sourceQuery(path).queryKey }), queries.invalidateQueries({ queryKey: historyQuery(path).queryKey })]);
}
