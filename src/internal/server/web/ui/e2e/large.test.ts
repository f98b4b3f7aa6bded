import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { settled } from "./browser";
import { stage } from "./stage";

const entries = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`entry-${String(i).padStart(3, "0")}`, `value ${i}`]));
const names = Array.from({ length: 200 }, (_, i) => `n-${i}`);

const { server, open } = stage(async ({ call }) => {
  await call("POST", "/v2/clusters", { metadata: { name: "large" }, spec: entries });
  await call("POST", "/v2/clusters/large/environments", { metadata: { name: "all" } });
  await call("POST", "/v2/batch", names.map((name) => ({ kind: "environment", key: { cluster: "large", environment: name }, data: { metadata: { name }, spec: { a: 0 } } })));
});

describe("a text of 500 entries", () => {
  test("has the lines near the window only, and six keys draw few of them and ask the server once", async () => {
    const { page, check } = await open("/ui/nowhere");
    await page.clock.install(); // so that the pause after which a text is checked does not depend on the machine
    await page.goto(`${server.url}/ui/explorer?id=cluster/large&tab=yaml`);
    await page.locator(".cm-line", { hasText: "entry-003: value 3" }).click();
    await page.keyboard.press("End");
    await settled(page);
    expect(await page.locator(".cm-line").count()).toBeLessThan(200);
    let checks = 0;
    page.on("request", (request) => {
      if (request.url().includes("dryRun=true")) checks++;
    });
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await page.evaluate(() => {
      const drawn = { lines: 0 };
      new MutationObserver((records) => {
        for (const { addedNodes } of records) for (const node of addedNodes) if (node instanceof HTMLElement && node.matches(".cm-line")) drawn.lines++;
      }).observe(document.body, { subtree: true, childList: true });
      Object.assign(window, { drawn });
    });
    for (const key of "abcdef") {
      await page.keyboard.type(key); // oxlint-disable-line no-await-in-loop -- one after the other
      await page.clock.runFor(50); // oxlint-disable-line no-await-in-loop -- as one types
    }
    await page.locator(".cm-line", { hasText: "entry-003: value 3abcdef" }).waitFor();
    expect(await page.evaluate(() => (window as unknown as { drawn: { lines: number } }).drawn.lines)).toBeLessThan(12); // two a key
    expect(checks).toBe(0);
    await page.clock.resume();
    await page.getByText("The server found no errors.").waitFor();
    expect(checks).toBe(1);
    check();
  });
});

/** What a page holds after what nothing holds was thrown away: all objects, and nodes of the document. */
async function held(page: Page): Promise<{ objects: number; nodes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { result } = await session.send("Runtime.evaluate", { expression: "Object.prototype" });
  const { objects } = await session.send("Runtime.queryObjects", { prototypeObjectId: result.objectId ?? "" });
  const { result: count } = await session.send("Runtime.callFunctionOn", { objectId: objects.objectId, functionDeclaration: "function () { return this.length; }", returnByValue: true });
  const { nodes } = await session.send("Memory.getDOMCounters");
  await session.detach();
  return { objects: Number(count.value), nodes };
}

describe("20,000 changes", () => {
  test("leave a list with no more than it had before", async () => {
    const rows = "tbody tr";
    const { page, check } = await open("/ui/explorer?kind=environment&columns=name,spec.a");
    await page.locator(rows).nth(3).waitFor({ state: "attached" }); // the first makes room only
    /** Changes each environment so often. */
    const change = async (times: number, from: number) => {
      for (let i = 0; i < times; i++) {
        await server.call("POST", "/v2/batch", names.map((name) => ({ op: "put", kind: "environment", key: { cluster: "large", environment: name }, data: { metadata: { name }, spec: { a: from + i } } }))); // oxlint-disable-line no-await-in-loop -- one after the other
      }
      await settled(page);
    };
    await change(3, 1); // what is kept of a few
    const before = await held(page);
    await change(100, 10);
    await page.locator("tbody").getByText("109", { exact: true }).first().waitFor(); // they are shown
    const after = await held(page);
    expect(await page.locator(rows).count()).toBeLessThan(100);
    expect(after.objects - before.objects).toBeLessThan(5_000);
    expect(after.nodes - before.nodes).toBeLessThan(2_000);
    check();
  });
});
