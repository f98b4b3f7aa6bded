import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Hub } from "./hub";
import type { Order, Report } from "./messages";

/** A connection that a hub has opened. */
interface Connection {
  address: string;
  token: string;
  after: string;
  closed: boolean;
  say: (event: string, id: string, data?: unknown) => Promise<void>;
  end: () => Promise<void>;
}

/** A hub before a server that answers with connections, or with the statuses that are given first. */
function stage(...statuses: number[]) {
  const connections: Connection[] = [];
  const hub = new Hub((address, token, after, signal) => {
    const status = statuses.shift();
    if (status === 0) return Promise.reject(new TypeError("no connection"));
    if (status !== undefined) return Promise.resolve(status);
    let stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => void (stream = controller) });
    const connection: Connection = {
      address, token, after, closed: false,
      say: async (event, id, data = {}) => {
        stream?.enqueue(new TextEncoder().encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`));
        await quiet();
      },
      end: async () => {
        stream?.close();
        await quiet();
      },
    };
    signal.addEventListener("abort", () => {
      if (!connection.closed) stream?.error(new Error("aborted"));
      connection.closed = true;
    });
    connections.push(connection);
    return Promise.resolve(body);
  });
  /** A window that follows something, with what it was told. */
  const open = async (...orders: Order[]) => {
    const told: Report[] = [];
    const port = { postMessage: (report: Report) => told.push(report) };
    const order = async (next: Order) => {
      hub.order(port, next);
      await quiet();
    };
    for (const next of orders) await order(next); // oxlint-disable-line no-await-in-loop -- one after the other
    return { told, changes: () => told.filter((report) => "of" in report), order };
  };
  /** The next connections are answered with statuses. */
  const refuse = (...next: number[]) => void statuses.push(...next);
  return { hub, connections, open, refuse, current: () => connections.filter(({ closed }) => !closed) };
}

const quiet = () => vi.advanceTimersByTimeAsync(1);
const change = (...ids: string[]) => ({ changes: ids.map((id) => ({ id, kind: id.split("/").at(-2) })) });
const documentOf = (name: string): Order => ({ follow: 1, wish: { id: `cluster/${name}`, path: `/v2/clusters/${name}` } });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("windows", () => {
  test("share one connection, and are told what they wish to know", async () => {
    const { open, current } = stage();
    const table = await open({ follow: 7, wish: { kind: "cluster" } });
    const set = await open({ follow: 1, wish: { id: "changeSet/x", below: "changeSet/x/" } });
    const seven = [];
    for (let i = 0; i < 7; i++) seven.push(await open(documentOf(`c${i}`))); // oxlint-disable-line no-await-in-loop -- one after the other
    expect(current().map(({ address }) => address)).toEqual(["/v2/watch"]);
    const text = change("cluster/c3", "changeSet/x/operation/1");
    await current()[0]?.say("changes", "5", text);
    expect(table.changes()).toEqual([{ of: 7, text: JSON.stringify(text) }]);
    expect(set.changes()).toHaveLength(1);
    expect(seven.map(({ changes }) => changes().length)).toEqual([0, 0, 0, 1, 0, 0, 0]);
  });

  test("have a stream for each of two documents, and one for more, in which nothing is missed", async () => {
    const { open, current } = stage();
    const a = await open(documentOf("a"));
    await open(documentOf("b"));
    expect(current().map(({ address }) => address)).toEqual(["/v2/clusters/a", "/v2/clusters/b"]);
    const c = await open(documentOf("c"));
    expect(current().map(({ address }) => address)).toEqual(["/v2/watch"]);
    await current()[0]?.say("ready", "9");
    expect(a.changes()).toEqual([{ of: 1 }]); // it may have changed in between
    expect(c.changes()).toEqual([]);
    await c.order({ bye: true });
    expect(current().map(({ address }) => address)).toEqual(["/v2/clusters/a", "/v2/clusters/b"]);
  });

  test("that nobody looks at keep one change each, however many there are", async () => {
    const { open, current } = stage();
    const seen = await open({ follow: 1, wish: { kind: "environment" } });
    const document = await open(documentOf("a"), { paused: true });
    const table = await open({ follow: 1, wish: { kind: "cluster" } }, { paused: true });
    await current()[0]?.say("ready", "1");
    for (let i = 0; i < 1_000; i++) await current()[0]?.say("changes", String(i), change("cluster/a")); // oxlint-disable-line no-await-in-loop -- one after the other
    expect([seen, document, table].map(({ changes }) => changes().length)).toEqual([0, 0, 0]);
    await document.order({ paused: false });
    await table.order({ paused: false });
    expect(document.changes()).toEqual([{ of: 1, text: JSON.stringify(change("cluster/a")) }]);
    expect(table.changes()).toEqual([{ of: 1 }]);
  });

  test("that nobody looks at have no connection, and go on where they were", async () => {
    const { hub, open, current } = stage();
    const window = await open(documentOf("a"));
    await current()[0]?.say("ready", "41");
    await window.order({ paused: true });
    expect(hub.streams).toBe(0);
    await window.order({ paused: false });
    expect(current().map(({ after }) => after)).toEqual(["41"]);
    await window.order({ leave: 1 });
    await window.order(documentOf("a"));
    expect(current().map(({ after }) => after)).toEqual([""]);
  });

  test("that come back while others are gone are told that something may have changed", async () => {
    const { open, current } = stage();
    const table = await open({ follow: 1, wish: { kind: "cluster" } });
    const document = await open(documentOf("a"), { paused: true });
    await current()[0]?.say("ready", "1");
    await table.order({ paused: true });
    await document.order({ paused: false });
    expect(current().map(({ address, after }) => [address, after])).toEqual([["/v2/clusters/a", ""]]);
    await current()[0]?.say("ready", "5");
    expect(document.changes()).toEqual([{ of: 1 }]);
  });

  test("of other users have connections of their own; a new token goes on where the old one was", async () => {
    const { open, current } = stage();
    const alice = await open({ token: "alice" }, documentOf("a"));
    await open({ token: "bob" }, documentOf("a"));
    expect(current().map(({ token }) => token)).toEqual(["alice", "bob"]);
    await current()[0]?.say("ready", "8");
    await alice.order({ token: "alice again" });
    expect(current().map(({ token, after }) => [token, after])).toEqual([["bob", ""], ["alice again", "8"]]);
  });
});

describe("a connection", () => {
  test("that ends goes on where it was; of a server that does not answer windows are told, and when it does again", async () => {
    const { open, current, connections } = stage();
    const window = await open(documentOf("a"));
    await current()[0]?.say("ready", "3");
    await connections[0]?.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(connections.map(({ after }) => after)).toEqual(["", "3"]);
    expect(window.told.filter((report) => "lost" in report && report.lost)).toEqual([]);
  });

  test("is tried again ever more rarely, at once when the network is back, and what may have changed is told", async () => {
    const { open, current } = stage(0, 503, 0, 0, 0, 0, 0, 0);
    const window = await open(documentOf("a"));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(window.told).toEqual([{ lost: true }]);
    await vi.advanceTimersByTimeAsync(1_000 + 4_000 + 8_000 + 16_000 + 30_000);
    const late = await open(documentOf("a"));
    expect(late.told).toContainEqual({ lost: true });
    await window.order({ retry: true });
    await current()[0]?.say("ready", "3");
    expect(window.told.slice(-2)).toEqual([{ lost: false }, { of: 1 }]);
  });

  test("whose position is of another store goes on from now", async () => {
    const { open, connections, refuse } = stage();
    const window = await open(documentOf("a"));
    await connections[0]?.say("ready", "3");
    refuse(400);
    await connections[0]?.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connections.map(({ after }) => after)).toEqual(["", ""]);
    expect(window.changes()).toContainEqual({ of: 1 });
  });

  test("that is silent for too long counts as lost", async () => {
    const { open, connections } = stage();
    await open(documentOf("a"));
    await connections[0]?.say("ready", "3");
    await vi.advanceTimersByTimeAsync(49_000);
    await connections[0]?.say("bookmark", "4");
    await vi.advanceTimersByTimeAsync(49_000);
    expect(connections).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(connections.map(({ closed, after }) => [closed, after])).toEqual([[true, ""], [false, "4"]]);
  });

  test.each([
    { name: "whose position is too old", status: 410, told: [{ of: 1 }], again: 1 },
    { name: "that is refused waits for another token", status: 401, told: [], again: 0 },
    { name: "that is one too many is tried again", status: 429, told: [], again: 1 },
  ])("$name", async ({ status, told, again }) => {
    const { open, connections } = stage(status);
    const window = await open(documentOf("a"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(window.changes()).toEqual(told);
    expect(connections.length > 0).toBe(again > 0);
    await window.order({ token: "new" });
    expect(connections.at(-1)?.token).toBe("new");
  });
});
