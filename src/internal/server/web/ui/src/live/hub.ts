import { readEvents } from "./events";
import type { Order, Report, Wish } from "./messages";

/** What a window is reached by: a MessagePort, or an end of it. */
export interface Port {
  postMessage: (report: Report) => void;
}

/** Opens a stream of changes; an answer that is no success is its status. */
export type Open = (address: string, token: string, after: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array<ArrayBuffer>> | number>;

/** How long it takes until a connection that was lost is tried again, at first and at most, and after what silence it counts as lost. */
const retry = { first: 1_000, most: 30_000 };
const silence = 50_000; // the server says every 15 seconds that it is there

/** So many documents have a stream each; of more, all changes are followed. Browsers keep six connections to a server over HTTP/1.1. */
const fewStreams = 2;

const all = "/v2/watch";

interface Follower {
  wish: Wish;
  missed?: { text?: string }; // what changed last while its window was paused; without a text if that is not known, or more than one document
  since?: string; // the stream that it goes on with, from a position that is kept
}

interface Window {
  token: string;
  paused: boolean;
  followers: Map<number, Follower>;
}

/** Follows changes for all windows of a browser, over few connections: windows with one token share them. */
export class Hub {
  readonly #open: Open;
  readonly #windows = new Map<Port, Window>();
  readonly #streams = new Map<string, Stream>(); // by token and address
  readonly #positions = new Map<string, string>(); // where a stream goes on that is closed while nobody looks

  constructor(open: Open) {
    this.#open = open;
  }

  /** Does what a window wants. */
  order(port: Port, order: Order): void {
    if ("bye" in order) this.#windows.delete(port);
    else this.#change(port, order);
    this.#arrange();
    if (!("follow" in order)) return;
    for (const stream of this.#streams.values()) {
      if (stream.lost) this.#each(stream, (one) => one.port === port && port.postMessage({ lost: true }));
    }
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  #change(port: Port, order: Exclude<Order, { bye: true }>): void {
    const window = this.#windows.get(port) ?? { token: "", paused: false, followers: new Map<number, Follower>() };
    this.#windows.set(port, window);
    if ("follow" in order) window.followers.set(order.follow, { wish: order.wish });
    else if ("leave" in order) window.followers.delete(order.leave);
    else if ("token" in order) this.#rename(window, order.token);
    else if ("paused" in order) this.#pause(port, window, order.paused);
    if ("follow" in order || "token" in order || "retry" in order || ("paused" in order && !order.paused)) {
      for (const stream of this.#streams.values()) stream.hurry();
    }
  }

  #pause(port: Port, window: Window, paused: boolean): void {
    window.paused = paused;
    if (!paused) for (const [of, follower] of window.followers) catchUp(port, of, follower);
  }

  /** Goes on with another token where it was with the one before. */
  #rename(window: Window, token: string): void {
    if (window.token === token) return;
    for (const address of addressesOf([window])) {
      const [before, next] = [this.#streams.get(`${window.token}\n${address}`), `${token}\n${address}`];
      if (before && before.position !== "" && !this.#streams.has(next)) this.#positions.set(next, before.position);
      else for (const follower of window.followers.values()) follower.missed = {};
    }
    window.token = token;
  }

  /** Opens the streams that are needed, and closes the others. */
  #arrange(): void {
    const wanted = new Map<string, { token: string; address: string }>();
    const kept = new Set<string>(); // somebody waits for them, though nobody looks
    for (const token of new Set([...this.#windows.values()].map((window) => window.token))) {
      const windows = [...this.#windows.values()].filter((window) => window.token === token);
      for (const address of addressesOf(windows)) kept.add(`${token}\n${address}`);
      for (const address of addressesOf(windows.filter(({ paused }) => !paused))) wanted.set(`${token}\n${address}`, { token, address });
    }
    for (const [key, stream] of this.#streams) {
      if (!wanted.has(key)) this.#close(key, stream, kept.has(key));
    }
    for (const [key, { token, address }] of wanted) {
      if (!this.#streams.has(key)) this.#begin(key, token, address);
    }
    for (const key of this.#positions.keys()) {
      if (!kept.has(key)) this.#positions.delete(key);
    }
  }

  #close(key: string, stream: Stream, kept: boolean): void {
    stream.close();
    this.#streams.delete(key);
    const goesOn = kept && stream.position !== "";
    if (goesOn) this.#positions.set(key, stream.position);
    this.#each(stream, ({ follower }) => {
      if (goesOn) follower.since = key;
      else follower.missed = {};
    });
  }

  #begin(key: string, token: string, address: string): void {
    const stream = new Stream(this.#open, token, address, this.#positions.get(key) ?? "");
    this.#positions.delete(key);
    this.#streams.set(key, stream);
    this.#each(stream, ({ follower }) => {
      if (follower.since !== undefined && follower.since !== key) follower.missed = {};
      follower.since = undefined;
    });
    void stream.follow({
      changes: (text) => this.#deliver(stream, text),
      begun: () => this.#each(stream, ({ port, of, follower, paused }) => {
        port.postMessage({ lost: false });
        if (!paused) catchUp(port, of, follower);
      }),
      failed: () => this.#each(stream, ({ port, follower }) => {
        if (stream.position === "") follower.missed = {};
        if (stream.lost) port.postMessage({ lost: true });
      }),
    });
  }

  /** Hands on a transaction, or that it is not known what changed, to those whom it concerns. */
  #deliver(stream: Stream, text?: string): void {
    const changes = text === undefined ? undefined : (JSON.parse(text) as { changes: { id: string; kind: string }[] }).changes;
    this.#each(stream, ({ port, of, follower, paused }) => {
      if (changes && !changes.some((change) => fits(follower.wish, change))) return;
      if (!paused) port.postMessage({ of, text });
      else follower.missed = follower.wish.id === undefined || (follower.missed && follower.missed.text === undefined) ? {} : { text };
    });
  }

  #each({ token, address }: Stream, act: (one: { port: Port; of: number; follower: Follower; paused: boolean }) => void): void {
    for (const [port, window] of this.#windows) {
      if (window.token !== token) continue;
      for (const [of, follower] of window.followers) {
        if (address === all || follower.wish.path === address) act({ port, of, follower, paused: window.paused });
      }
    }
  }
}

/** Tells what changed while nothing was told. */
function catchUp(port: Port, of: number, follower: Follower): void {
  if (follower.missed) port.postMessage({ of, ...follower.missed });
  follower.missed = undefined;
}

/** The streams that windows need. */
function addressesOf(windows: Window[]): string[] {
  const wishes = windows.flatMap(({ followers }) => [...followers.values()]);
  const paths = new Set(wishes.map(({ wish }) => wish.path ?? all));
  return paths.has(all) || paths.size > fewStreams ? [all] : [...paths];
}

function fits({ id, below, kind }: Wish, change: { id: string; kind: string }): boolean {
  return change.id === id || change.kind === kind || (below !== undefined && change.id.startsWith(below));
}

interface Listener {
  changes: (text?: string) => void;
  begun: () => void; // the server answers
  failed: () => void;
}

/** A stream of changes. A connection that is lost goes on where it was; where the server no longer knows that, the changes are unknown. */
class Stream {
  readonly token: string;
  readonly address: string;
  position: string;
  readonly #open: Open;
  readonly #stop = new AbortController();
  #wake: () => void = () => undefined;
  #wait = retry.first;
  #failures = 0;
  #refused = false; // asking again does not help, until someone else asks

  constructor(open: Open, token: string, address: string, position: string) {
    this.#open = open;
    this.token = token;
    this.address = address;
    this.position = position;
  }

  /** Whether the server does not answer. One that restarts is given some time. */
  get lost(): boolean {
    return this.#failures > 1;
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Tries again now where it waits. */
  hurry(): void {
    this.#wait = retry.first;
    this.#wake();
  }

  async follow(listener: Listener): Promise<void> {
    const { signal } = this.#stop;
    /* oxlint-disable no-await-in-loop -- one connection after the other */
    while (!signal.aborted) {
      const answered = await this.#read(listener).catch(() => false);
      if (signal.aborted) return;
      if (!answered) {
        this.#failures += 1;
        listener.failed();
      }
      await this.#pause();
    }
    /* oxlint-enable no-await-in-loop */
  }

  /** Reads a connection until it ends. Says whether the server answered as one that is well. */
  async #read(listener: Listener): Promise<boolean> {
    const quiet = new AbortController();
    let timer = setTimeout(() => quiet.abort(), silence);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), silence);
    };
    try {
      const body = await this.#open(this.address, this.token, this.position, AbortSignal.any([this.#stop.signal, quiet.signal]));
      if (typeof body === "number") {
        this.#refused = [401, 403, 404].includes(body);
        if (body === 410 || (body === 400 && this.position !== "")) this.#forget(listener); // too old, or of another store
        return body < 500;
      }
      for await (const { name, id, data } of readEvents(body, heard)) {
        if (this.#stop.signal.aborted) return true;
        if (name === "ready") {
          [this.#failures, this.#wait] = [0, retry.first];
          listener.begun();
        }
        this.position = id ?? this.position;
        if (name === "changes") listener.changes(data);
        if (name === "expired") this.#forget(listener);
      }
      return true;
    } finally {
      clearTimeout(timer);
    }
  }

  #forget(listener: Listener): void {
    this.position = "";
    listener.changes();
  }

  /** Waits longer each time, until it is hurried, or, where the server refuses, only until then. */
  #pause(): Promise<void> {
    const time = this.#wait;
    this.#wait = Math.min(2 * time, retry.most);
    return new Promise((resolve) => {
      const timer = this.#refused ? undefined : setTimeout(resolve, time);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stop.signal.aborted) this.#wake();
    });
  }
}
