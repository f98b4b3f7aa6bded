// Measures the page on 100,000 documents: scripts/web --measure. What it prints stands in docs/web.md.
import type { Browser, Page } from "playwright-core";
import { test } from "vitest";
import { firstScripts, openPage, settled, startBrowser } from "./browser";
import { startServer, type Server } from "./server";

const documents = 100_000;
const perBatch = 2_000;
const rounds = 5;

/** One cluster with all the others right below it, and 199 namespaces below the first of those. */
async function fill({ call }: Server): Promise<void> {
  await call("POST", "/v2/clusters", { metadata: { name: "big" } });
  for (let from = 0; from < documents; from += perBatch) {
    const batch = Array.from({ length: perBatch }, (_, i) => {
      const name = `env-${String(from + i).padStart(6, "0")}`;
      return { kind: "environment", key: { cluster: "big", environment: name }, data: { metadata: { name }, spec: { number: from + i } } };
    });
    await call("POST", "/v2/batch", batch);
  }
  const namespaces = Array.from({ length: 49 }, (_, i) => ({ kind: "deployPostfix", key: { cluster: "big", environment: "env-000000", deployPostfix: `ns-${i}` }, data: { metadata: { name: `ns-${i}` } } }));
  const applications = Array.from({ length: 149 }, (_, i) => ({
    kind: "application",
    key: { cluster: "big", environment: "env-000000", deployPostfix: `ns-${i % 5}`, application: `app-${i}` },
    data: { metadata: { name: `app-${i}` } },
  }));
  await call("POST", "/v2/batch", [...namespaces, ...applications]);
  await call("POST", "/v2/clusters", { metadata: { name: "tree" } });
  const tree = Array.from({ length: 333 }, (_, i) => {
    const key = { cluster: "tree", environment: `env-${i}` };
    return [{ kind: "environment", key, data: { metadata: { name: key.environment } } }, ...["core", "data"].map((name) => ({ kind: "deployPostfix", key: { ...key, deployPostfix: name }, data: { metadata: { name } } }))];
  });
  await call("POST", "/v2/batch", tree.flat());
  const values = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`value${i}`, `text ${i}`]));
  await call("POST", "/v2/clusters", { metadata: { name: "values" }, spec: values });
}

/** Changes documents at about so many a second until it is told to stop, and returns how many there were a second. */
async function changeAll({ call }: Server, perSecond: number, until: () => boolean): Promise<number> {
  const begin = performance.now();
  let changes = 0;
  for (let round = 0; !until(); round++) {
    const batch = Array.from({ length: 100 }, (_, i) => ({ op: "patch", id: `cluster/big/environment/env-${String((round * 100 + i) % 1_000).padStart(6, "0")}`, data: { spec: { round } } }));
    await call("POST", "/v2/batch", batch); // oxlint-disable-line no-await-in-loop -- one batch after the other
    changes += batch.length;
    const early = (1_000 * changes) / perSecond - (performance.now() - begin);
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early)); // oxlint-disable-line no-await-in-loop -- it keeps the rate
  }
  return Math.round((1_000 * changes) / (performance.now() - begin));
}

/** The longest time from a key to the next frame, of some keys that are typed into a field. */
function longestKey(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const field = document.activeElement as HTMLInputElement;
    let longest = 0;
    for (let i = 0; i < 40; i++) {
      const begin = performance.now();
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
      await new Promise(requestAnimationFrame); // oxlint-disable-line no-await-in-loop -- one key after the other
      longest = Math.max(longest, performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 50)); // oxlint-disable-line no-await-in-loop -- as people type
    }
    return Math.round(longest);
  });
}

/** The median and the best of some rounds, in milliseconds: other work of the machine makes the difference. */
async function times(round: () => Promise<number>): Promise<string> {
  const all: number[] = [];
  for (let i = 0; i < rounds; i++) all.push(Math.round(await round()));
  all.sort((a, b) => a - b);
  return `${all[Math.floor(rounds / 2)]} ms (best ${all[0]} ms)`;
}

async function since(begin: number, done: Promise<unknown>): Promise<number> {
  await done;
  return performance.now() - begin;
}

/** A page in a window of its own, so that nothing of it is known yet; the window is closed afterwards. */
async function fresh<T>(browser: Browser, server: Server, path: string, act: (page: Page) => Promise<T>): Promise<T> {
  const { page } = await openPage(browser, server.url, path);
  try {
    return await act(page);
  } finally {
    await page.context().close();
  }
}

test("how fast the page is", async () => {
  const server = await startServer();
  const browser = await startBrowser();
  try {
    await fill(server);
    const paint = await times(() =>
      fresh(browser, server, "/ui/explorer", async (page) => {
        await page.getByRole("treeitem").first().waitFor();
        return page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN);
      }),
    );
    const sent = await fresh(browser, server, "/ui/explorer", async (page) => {
      await page.getByRole("treeitem").first().waitFor();
      return firstScripts(page);
    });
    const node = await times(() =>
      fresh(browser, server, "/ui/explorer?id=cluster/big&tab=yaml", async (page) => {
        const row = page.getByRole("treeitem", { name: "big" });
        await row.waitFor();
        await settled(page);
        await row.focus();
        await page.keyboard.press("ArrowRight");
        const begin = performance.now();
        await page.getByRole("treeitem", { name: "environment" }).getByText("environment").click();
        return since(begin, page.getByRole("treeitem", { name: "env-000000" }).waitFor());
      }),
    );
    const graph = await times(() =>
      fresh(browser, server, "/ui/explorer?id=cluster/big/environment/env-000000&tab=links", async (page) => {
        await settled(page);
        await page.getByRole("tab", { name: "Graph" }).click();
        await page.locator(".react-flow__node").first().waitFor();
        const nearest = await page.locator(".react-flow__node").count();
        const begin = performance.now();
        await page.getByText("2", { exact: true }).click();
        return since(begin, page.waitForFunction((n) => document.querySelectorAll(".react-flow__node").length > n, nearest));
      }),
    );
    const large = await times(() =>
      fresh(browser, server, "/ui/explorer?id=cluster/tree&tab=links&depth=2", async (page) => {
        await settled(page);
        const begin = performance.now();
        await page.getByRole("tab", { name: "Graph" }).click();
        return since(begin, page.getByLabel("666 × deployPostfix, deployPostfix").waitFor());
      }),
    );
    const opened = await times(() =>
      fresh(browser, server, "/ui/explorer?id=cluster/tree&tab=graph&depth=2", async (page) => {
        const group = page.getByLabel("333 × environment, environment");
        await group.waitFor();
        await settled(page);
        const begin = performance.now();
        await group.click();
        return since(begin, page.locator(".react-flow__node-box").nth(5).waitFor());
      }),
    );
    const form = await times(() =>
      fresh(browser, server, "/ui/explorer?id=cluster/values&tab=links", async (page) => {
        await settled(page);
        const begin = performance.now();
        await page.getByRole("tab", { name: "Form" }).click();
        return since(begin, page.getByLabel("value3", { exact: true }).waitFor());
      }),
    );
    const live = await fresh(browser, server, "/ui/explorer?kind=environment", async (page) => {
      await page.getByText("the first 10").waitFor();
      await page.getByRole("searchbox").or(page.getByRole("textbox")).first().focus();
      let done = false;
      const changing = changeAll(server, 1_000, () => done);
      await page.waitForTimeout(2_000);
      const longest = await longestKey(page);
      done = true;
      return `${longest} ms, at ${await changing} changes a second`;
    });
    const palette = await fresh(browser, server, "/ui/explorer", async (page) => {
      await page.getByRole("treeitem").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.locator("[role=combobox]:focus").waitFor();
      await server.call("GET", "/v2/search?text=env"); // which waits for the names
      let n = 0;
      return times(async () => {
        const name = `env-0${String(12_345 + 1_111 * n++)}`;
        await page.keyboard.type(name.slice(0, -1));
        await page.getByRole("option", { name }).waitFor();
        const found = page.getByRole("option", { name, selected: true });
        const begin = performance.now();
        await page.keyboard.type(name.slice(-1));
        const time = await since(begin, found.waitFor());
        await page.keyboard.press("Control+a");
        return time;
      });
    });
    const table = await fresh(browser, server, "/ui/explorer?kind=environment", async (page) => {
      await page.getByText("the first 10").waitFor();
      return page.evaluate(async () => {
        const scroller = document.querySelector("table")?.parentElement;
        const begin = performance.now();
        let frames = 0;
        while (performance.now() - begin < 2_000) {
          if (scroller) scroller.scrollTop += 400;
          await new Promise(requestAnimationFrame); // oxlint-disable-line no-await-in-loop -- one frame after the other
          frames++;
        }
        return Math.round(frames / 2);
      });
    });
    console.log(`documents ${documents}; first paint ${paint}; JavaScript sent first ${Math.round(sent / 1000)} kB; opening a node ${node}; a graph of 200 nodes ${graph}; the graph of 1000 nodes ${large}; its opening ${opened}; a form of 2500 values ${form}; the longest from a key to the next frame while documents change ${live}; a result of the palette after a key ${palette}; frames a second of a table that is scrolled ${table}`); // oxlint-disable-line no-console -- it is what the script is for
  } finally {
    await browser.close();
    await server.stop();
  }
});
