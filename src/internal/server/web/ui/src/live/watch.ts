import { onToken, token } from "../api/session";
import type { Op } from "../history/queries";
import type { Order, Report, Wish } from "./messages";

/** What happened to a document. */
export interface DocumentChange {
  op: Op;
  id: string;
  kind: string;
  uid: string;
  revision: number;
}

interface Line {
  post: (order: Order) => void;
}

let line: Promise<Line> | undefined;
let lost = false;
let last = 0;
const followers = new Map<number, { wish: Wish; act: (text?: string) => void }>();
const watchers = new Set<() => void>();

/**
 * Calls back after each transaction that changed what is wished, with its JSON; without it where it is not known what changed. What changed while nobody
 * looked at the window is told when somebody does again. Ends with the signal.
 */
export function follow(wish: Wish, act: (text?: string) => void, signal: AbortSignal): void {
  const number = ++last;
  followers.set(number, { wish, act });
  line ??= connect();
  void line.then(({ post }) => followers.has(number) && post({ follow: number, wish }));
  signal.addEventListener("abort", () => {
    followers.delete(number);
    if (followers.size === 0) tell(false); // nothing is said to be current
    void line?.then(({ post }) => post({ leave: number }));
  }, { once: true });
}

/** Whether the server does not answer, so that what is shown may be old. */
export const connection = {
  lost: () => lost,
  subscribe: (act: () => void) => {
    watchers.add(act);
    return () => void watchers.delete(act);
  },
};

function tell(now: boolean): void {
  if (lost === now) return;
  lost = now;
  for (const act of watchers) act();
}

function hear(report: Report): void {
  if ("lost" in report) tell(report.lost);
  else followers.get(report.of)?.act(report.text);
}

/** Reaches what follows changes for all windows; where browsers have nothing for all windows, each has its own. */
async function connect(): Promise<Line> {
  const { post } = (await shared()) ?? (await own());
  const begin = () => {
    post({ token: token() });
    post({ paused: document.visibilityState === "hidden" });
  };
  begin();
  onToken(() => post({ token: token() }));
  document.addEventListener("visibilitychange", () => post({ paused: document.visibilityState === "hidden" }));
  addEventListener("online", () => post({ retry: true }));
  addEventListener("pagehide", () => post({ bye: true }));
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return; // a window that one goes back to is as it was
    begin();
    for (const [number, { wish, act }] of followers) {
      post({ follow: number, wish });
      act();
    }
  });
  return { post };
}

/** The worker of all windows; nothing where it does not start. */
function shared(): Promise<Line | undefined> {
  if (typeof SharedWorker === "undefined") return Promise.resolve(undefined);
  const worker = new SharedWorker(new URL("worker.ts", import.meta.url), { type: "module" });
  const { port } = worker;
  return new Promise((resolve) => {
    worker.addEventListener("error", () => resolve(undefined));
    port.addEventListener("message", ({ data }: MessageEvent<Report>) => {
      resolve({ post: (order) => port.postMessage(order) });
      hear(data);
    });
    port.start();
  });
}

async function own(): Promise<Line> {
  const [{ Hub }, { openStream }] = await Promise.all([import("./hub"), import("./open")]);
  const hub = new Hub(openStream);
  const port = { postMessage: hear };
  return { post: (order) => hub.order(port, order) };
}
