import { EventEmitter, once } from "node:events";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(seed);

/** Slows the network of a page down to that of a phone far from a mast: 400 ms to answer, 400 kbit/s. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 });
}

/** Holds requests of a page until the gate emits "open". */
async function hold(page: Page, pattern: string, gate: EventEmitter): Promise<void> {
  const opened = once(gate, "open");
  await page.route(pattern, async (route) => {
    await opened;
    await route.continue();
  });
}

/** How far what was shown has moved since: cumulative layout shift. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) sum += hadRecentInput ? 0 : value;
    }).observe({ type: "layout-shift", buffered: true });
    await new Promise((resolve) => setTimeout(resolve, 200)); // those that are buffered come in tasks of their own
    return sum;
  });
}

/** Where the parts of the frame of a page are, and in which colours: of the static one, or else of that which took its place. */
function partsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const navigation = document.querySelector("#frame nav, .mantine-AppShell-navbar");
    const places = [document.querySelector("header"), document.querySelector("header img"), navigation].map((part) => {
      const { x, y, width, height } = part?.getBoundingClientRect() ?? new DOMRect();
      if (width === 0 || !part) return "hidden";
      const { backgroundColor, borderBottomColor, borderRightColor } = getComputedStyle(part);
      return [...[x, y, width, height].map(Math.round), backgroundColor, borderBottomColor, borderRightColor].join(" ");
    });
    return [...places, getComputedStyle(document.querySelector("main") ?? document.body).backgroundColor];
  });
}

test.each([
  { name: "light" },
  { name: "dark, in Russian, on a phone", look: { scheme: "dark" as const, locale: "ru" as const, phone: true } },
  { name: "dark on a light system", chosen: "dark" },
  { name: "light on a dark system, in the past", look: { scheme: "dark" as const }, chosen: "light", path: "/ui/schema?asOf=2999-01-01T00:00:00Z" },
])("a first visit shows a frame before the scripts and styles arrive, and the page takes its place: $name", async ({ look, chosen, path = "/ui/schema" }) => {
  const { page, check } = await open("/livez", look);
  if (chosen) await page.evaluate((scheme) => localStorage.setItem("mantine-color-scheme-value", scheme), chosen);
  const gate = new EventEmitter();
  await hold(page, "**/ui/assets/*", gate);
  await page.goto(server.url + path, { waitUntil: "commit" });
  await page.locator("#frame header").waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame)); // it is drawn, or may be
  const parts = await partsOf(page);
  expect(await page.locator("#content").count()).toBe(0);
  expect(await page.locator("#frame").getByRole("status").innerText()).toBe(look?.locale === "ru" ? "Загрузка..." : "Loading...");
  await expect.poll(() => page.evaluate(() => performance.getEntriesByName("first-paint").length)).toBe(1);
  await checkAccess(page);
  gate.emit("open");
  await page.locator("#content").waitFor();
  expect(await page.locator("#frame").count()).toBe(0);
  expect(await page.locator('link[media="not all"]').count()).toBe(0);
  expect(await partsOf(page)).toEqual(parts);
  await settled(page);
  expect(await shiftOf(page)).toBeLessThan(0.05);
  check();
});

test.each([{ locale: "en" as const }, { locale: "ru" as const, scheme: "dark" as const, phone: true }])("a page of which a script does not come says so: %o", async (look) => {
  const { page } = await open("/livez", look);
  await page.route("**/ui/assets/*.js", (route) => route.abort());
  await page.goto(`${server.url}/ui/schema`);
  const failed = page.getByRole("alert").filter({ hasText: look.locale === "ru" ? "Страница не загрузилась" : "The page could not be loaded" });
  await failed.waitFor();
  await checkAccess(page);
  await page.unroute("**/ui/assets/*.js");
  await failed.getByRole("link").click();
  await page.locator("#content").getByRole("heading", { level: 1 }).waitFor();
});

/** Opens a page on a slow network; the frame, which every page has, is known from a visit before. */
async function openSlowly(path: string, look = {}, prepare: (page: Page) => unknown = () => undefined) {
  const opened = await open("/ui/nowhere", look);
  await settled(opened.page);
  await slowDown(opened.page);
  await prepare(opened.page);
  await opened.page.goto(server.url + path, { waitUntil: "commit" });
  return { ...opened, skeleton: opened.page.locator("#content").getByRole("status", { name: /^(Loading|Загру)/ }) };
}

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, phone: true }])("on a slow network Home shows where its parts will be, and nothing moves or is shown twice when they come: %o", async (look) => {
  const { page, check, skeleton } = await openSlowly("/ui/", look);
  await skeleton.first().waitFor();
  await page.getByRole("region", { name: "Documents" }).getByTitle("cluster", { exact: true }).waitFor();
  await settled(page);
  expect(await skeleton.count()).toBe(0);
  const headings = await page.getByRole("heading", { level: 2 }).allInnerTexts();
  expect(headings).toEqual([...new Set(headings)]);
  expect(await shiftOf(page)).toBeLessThan(0.05);
  check();
});

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("on a slow network a list shows where its rows will be, each comes once, and what was typed before they came stays: %o", async (look) => {
  const gate = new EventEmitter();
  const { page, check, skeleton } = await openSlowly("/ui/explorer?kind=cluster", look, (slow) => hold(slow, "**/v2/documents?*kind=cluster*", gate)); // they come late, so that one can type before
  const filter = page.locator("[data-filter]");
  if ("phone" in look) await page.getByRole("button", { name: "Фильтры" }).click();
  await filter.waitFor();
  await skeleton.first().waitFor(); // in the place of the rows, under the filters
  await filter.pressSequentially("cluster-0"); // what moves after a key is no shift
  gate.emit("open");
  await page.getByRole("row").getByRole("link", { name: "cluster-01" }).waitFor();
  await settled(page);
  expect(await filter.inputValue()).toBe("cluster-0");
  expect(await skeleton.count()).toBe(0);
  const names = await page.getByRole("row").getByRole("link").allInnerTexts();
  expect(names).toEqual([...new Set(names)]);
  expect(names.every((name) => name.startsWith("cluster-0"))).toBe(true);
  expect(await shiftOf(page)).toBeLessThan(0.05);
  await checkAccess(page);
  check();
});

test("on a slow network what is typed into a form while the rest of the page loads stays", async () => {
  const { page, check } = await openSlowly("/ui/explorer?id=cluster/cluster-01&tab=form");
  const field = page.getByRole("tabpanel").getByRole("textbox").first();
  await field.waitFor();
  await field.fill("typed early");
  await settled(page);
  expect(await field.inputValue()).toBe("typed early");
  check();
});
