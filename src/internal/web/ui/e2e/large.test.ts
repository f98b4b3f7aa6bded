import { describe, expect, test } from "vitest";
import { settled } from "./browser";
import { stage } from "./stage";

const entries = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`entry-${String(i).padStart(3, "0")}`, `value ${i}`]));

const { server, open } = stage(async ({ call }) => {
  await call("POST", "/v2/clusters", { metadata: { name: "large" }, spec: entries });
});

describe("a text of 500 entries", () => {
  test("has the lines near the window only, and six keys draw few of them and ask the server once", async () => {
    const { page, check } = await open("/ui/nowhere");
    await page.clock.install(); // so that the pause after which a text is checked does not depend on the machine
    await page.goto(`${server.url}/ui/explorer?id=cluster/large`);
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
