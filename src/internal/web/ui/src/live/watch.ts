import { send } from "../api/client";
import { ApiError } from "../api/problem";
import type { Op } from "../history/queries";
import { readEvents } from "./events";

/** What happened to a document. */
export interface DocumentChange {
  op: Op;
  id: string;
  kind: string;
  uid: string;
  revision: number;
}

/** How long it takes until a connection that was lost is tried again: at first, and at most. */
const retry = { first: 1_000, most: 30_000 };

/** Calls back after each change of the document at a path, until the signal; with nothing where it is not known what changed. */
export function watchDocument(path: string, onChange: (change?: DocumentChange) => void, signal: AbortSignal): Promise<void> {
  return watch(`${path}?watch=true`, (text) => onChange(text === undefined ? undefined : (JSON.parse(text) as { changes: DocumentChange[] }).changes.at(-1)), signal);
}

/** Calls back after each transaction with the JSON of what it changed, of all documents that one may read, until the signal. */
export function watchAll(onChanges: (text?: string) => void, signal: AbortSignal): Promise<void> {
  return watch("/v2/watch", onChanges, signal);
}

/** Follows a stream of changes. A connection that is lost goes on where it was; where the server no longer knows that, the changes are unknown. */
async function watch(address: string, onChanges: (text?: string) => void, signal: AbortSignal): Promise<void> {
  let after = "";
  let wait = retry.first;
  /* oxlint-disable no-await-in-loop -- one connection after the other */
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = after === "" ? {} : { "Last-Event-ID": after };
      const { body } = await send("GET", address, headers, undefined, undefined, signal);
      if (body) {
        for await (const { name, id, data } of readEvents(body)) {
          wait = retry.first;
          after = name === "expired" ? "" : (id ?? after);
          if (name === "changes") onChanges(data);
          if (name === "expired") onChanges();
        }
      }
    } catch (error) {
      if (error instanceof ApiError && [401, 403, 404].includes(error.problem.status)) return; // asking again does not help
      if (error instanceof ApiError && error.problem.status === 410) {
        after = "";
        onChanges();
      }
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, retry.most);
  }
  /* oxlint-enable no-await-in-loop */
}

/** Waits, at most until the signal. */
function pause(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
