import { useDocumentVisibility } from "@mantine/hooks";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { sourceQuery } from "../api/queries";
import { historyQuery, lastTransaction, type Op, type Provenance } from "../history/queries";
import { moment } from "../api/view";
import { watchDocument, type DocumentChange } from "./watch";

/** What another user did to a document while it is open. */
export interface LiveChange extends Provenance {
  op: Op;
  time: string;
}

/** What is known of others' changes of a document. */
export interface Live {
  change?: LiveChange;
  dismiss: () => void;
}

/** The shortest time between two reads of a document, however often it changes. */
const calm = 1_000;

/** Keeps a document current while the window is visible, and says what another user did to it last. */
export function useLive(id: string, path: string): Live {
  const queries = useQueryClient();
  const visible = useDocumentVisibility() === "visible"; // each window has few connections to a server
  const [change, setChange] = useState<LiveChange>();
  const seen = useRef<string>(undefined); // the position of the last transaction that was shown
  useEffect(() => {
    if (!visible || moment() !== "") return undefined;
    const stop = new AbortController();
    let [latest, busy]: [DocumentChange | undefined, boolean] = [undefined, false];
    const follow = async () => {
      busy = true;
      /* oxlint-disable no-await-in-loop -- one change after the other */
      while (latest && !stop.signal.aborted) {
        const next: DocumentChange = latest;
        latest = undefined;
        const own = queries.isMutating() > 0;
        if (!isKnown(queries, path, next)) {
          await refresh(queries, path);
          const found = own ? undefined : await lastTransaction(id).catch(() => undefined);
          if (!own && !stop.signal.aborted && (found === undefined || found.position !== seen.current)) {
            seen.current = found?.position;
            setChange({ ...found, op: next.op, time: found?.time ?? new Date().toISOString() });
          }
        }
        await new Promise((resolve) => {
          setTimeout(resolve, calm);
        });
      }
      /* oxlint-enable no-await-in-loop */
      busy = false;
    };
    const onChange = (next?: DocumentChange) => {
      if (next === undefined) void refresh(queries, path);
      latest = next ?? latest;
      if (!busy) void follow();
    };
    void watchDocument(path, onChange, stop.signal);
    return () => stop.abort();
  }, [id, path, queries, visible]);
  return { change, dismiss: () => setChange(undefined) };
}

/** Whether a change is of a version that the page has read by now, as after a save of its own. */
function isKnown(queries: QueryClient, path: string, { op, uid, revision }: DocumentChange): boolean {
  const known = queries.getQueryData(sourceQuery(path).queryKey)?.envelope;
  return op !== "deleted" && known?.uid === uid && known.revision >= revision;
}

/** Reads again what the page shows of a document. */
async function refresh(queries: QueryClient, path: string): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: sourceQuery(path).queryKey }), queries.invalidateQueries({ queryKey: historyQuery(path).queryKey })]);
}
