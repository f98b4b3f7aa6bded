import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { closePages, openPage, startBrowser, type Look, type Watched } from "./browser";
import { startServer, type Server } from "./server";

/** What a file of tests works with. */
export interface Stage {
  /** Usable once the tests run. */
  server: Server;
  /** Opens a page of the server, which is closed after the test. */
  open: (path: string, look?: Look) => Promise<Watched>;
}

/** Starts a server and a browser before the tests of a file, gives the server its data, and ends both after the tests. */
export function stage(prepare: (server: Server) => unknown = () => undefined, ...flags: string[]): Stage {
  const server = {} as Server;
  let browser: Browser | undefined;
  let stop: Server["stop"] | undefined;

  beforeAll(async () => {
    Object.assign(server, await startServer(...flags));
    stop = server.stop;
    await prepare(server);
    browser = await startBrowser();
  });

  afterEach(async () => {
    if (browser) await closePages(browser);
  });

  afterAll(async () => {
    await browser?.close();
    await stop?.();
  });

  return {
    server,
    open: (path, look) => {
      if (!browser) throw new Error("there is a browser only while the tests run");
      return openPage(browser, server.url, path, look);
    },
  };
}
