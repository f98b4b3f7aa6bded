import { existsSync } from "node:fs";
import axe from "axe-core";
import { chromium, type Browser, type Page, type Request } from "playwright-core";
import { expect } from "vitest";

/** How long a page may take for anything: it is what a test says, not how busy the machine is, that fails it. */
export const patience = 300_000;

/** The browser: CHROMIUM, or Debian's Chromium, if it is there the one without windows, which takes up to half the processor time less. */
function executable(): string {
  const shell = "/usr/bin/chromium-headless-shell";
  return process.env.CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium");
}

/** Starts a browser without anything that asks the network. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** How a page is opened. */
export interface Look {
  scheme?: "light" | "dark";
  locale?: "en" | "ru";
  phone?: boolean; // 390 pixels wide
  provider?: string; // where users sign in, which may be asked, too
}

/** A page with what it must not do: errors, and requests to anywhere else. */
export interface Watched {
  page: Page;
  /** Fails when the page did what it must not do. */
  check: () => void;
}

/** Opens a window of its own at an address of the server. */
export async function openPage(browser: Browser, url: string, path: string, look: Look = {}): Promise<Watched> {
  const context = await browser.newContext({ colorScheme: look.scheme ?? "light", locale: look.locale ?? "en", viewport: look.phone ? { width: 390, height: 844 } : { width: 1400, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    if (dialog.type() === "beforeunload") {
      void dialog.accept(); // it is loaded again, or closed, on purpose
      return;
    }
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // The browser itself reports answers that are no success; those are the page's to handle.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (look.provider !== undefined && request.url().startsWith(look.provider)) return;
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) faults.push(`request to ${request.url()}`);
  });
  countRequests(page);
  await page.goto(url + path);
  return { page, check: () => expect(faults).toEqual([]) };
}

/** The requests of pages that are under way, without watches, which never end, and the worker that follows them, whose end is told to no page. */
const underWay = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) requests.clear(); // those of the page before may end without a word
    if (!/[?/]watch\b|\/worker-/.test(request.url())) requests.add(request);
  });
  for (const end of ["requestfinished", "requestfailed"] as const) page.on(end as "requestfinished", (request) => requests.delete(request));
}

/** Waits until a page has asked for nothing for half a second, and fails with what it asks for when it does not come to rest. */
export async function settled(page: Page): Promise<void> {
  const asked: string[] = [];
  const note = (request: Request): void => {
    asked.push(request.url());
  };
  page.on("request", note);
  const end = performance.now() + patience;
  for (let quiet = 0; quiet < 10; ) {
    await page.waitForTimeout(50); // oxlint-disable-line no-await-in-loop -- it waits
    await page.evaluate(() => undefined).catch(() => undefined); // oxlint-disable-line no-await-in-loop -- a page that is too busy to ask is not quiet, nor is one that goes elsewhere
    const requests = [...(underWay.get(page) ?? [])];
    quiet = requests.length === 0 ? quiet + 1 : 0;
    if (performance.now() > end) throw new Error(`${page.url()} does not come to rest: it waits for ${requests.map((request) => request.url()).join(", ") || "nothing"}, and asked ${asked.length} times, last for ${asked.slice(-10).join(", ")}`);
  }
  page.off("request", note);
}

/** How many bytes of JavaScript were sent, compressed as they were. */
export function firstScripts(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return entries.filter((entry) => entry.name.endsWith(".js")).reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  });
}

/** Closes the windows of a test. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

/** Fails when the page, as it is now, is not accessible. */
export async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join("; ")}`);
  });
  expect(found).toEqual([]);
}
