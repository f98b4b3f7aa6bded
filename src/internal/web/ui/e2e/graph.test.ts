import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { checkAccess } from "./browser";
import { stage } from "./stage";

const environment = (cluster: string, name: string) => ({ kind: "environment", key: { cluster, environment: name }, data: { metadata: { name } } });
const namespaces = (cluster: string, name: string, n: number) =>
  Array.from({ length: n }, (_, i) => ({ kind: "deployPostfix", key: { cluster, environment: name, deployPostfix: `ns-${i}` }, data: { metadata: { name: `ns-${i}` } } }));

const { open } = stage(async ({ call }) => {
  for (const name of ["plain", "mixed", "huge"]) await call("POST", "/v2/clusters", { metadata: { name } });
  await call("POST", "/v2/batch", Array.from({ length: 65 }, (_, i) => environment("plain", `env-${i}`)));
  await call("POST", "/v2/batch", Array.from({ length: 65 }, (_, i) => [environment("mixed", `env-${i}`), ...namespaces("mixed", `env-${i}`, 1)]).flat());
  await call("POST", "/v2/batch", Array.from({ length: 1200 }, (_, i) => environment("huge", `env-${i}`)));
});

const boxes = (page: Page) => page.locator(".react-flow__node");

/** Fails when a text of the picture is lower than can be read, or nothing of what it is about can be seen. */
async function checkReadable(page: Page) {
  const main = page.locator(".react-flow__node:has([data-main])");
  await main.waitFor();
  await expect.poll(async () => (await main.boundingBox())?.height ?? 0).toBeGreaterThan(33);
  const [area, box] = await Promise.all([page.locator(".react-flow").boundingBox(), main.boundingBox()]);
  if (!area || !box) throw new Error("nothing is drawn");
  expect(box.x >= area.x && box.y >= area.y && box.x + box.width <= area.x + area.width && box.y + box.height <= area.y + area.height).toBe(true);
}

describe("the graph", () => {
  test("folds siblings; opened ones fill rows that can be read", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/plain&tab=graph");
    const group = page.getByLabel("65 × environment, environment");
    await group.waitFor();
    expect(await boxes(page).count()).toBe(2);
    await checkReadable(page);
    await group.focus();
    await page.keyboard.press("Enter");
    await page.locator('[data-id="cluster/plain/environment/env-64"]').waitFor();
    expect(await boxes(page).count()).toBe(66);
    await checkReadable(page);
    expect(new Set(await boxes(page).evaluateAll((all) => all.map((box) => Math.round(box.getBoundingClientRect().top)))).size).toBeGreaterThan(8);
    await checkAccess(page);
    await page.getByRole("button", { name: "Fold siblings again" }).click();
    await group.waitFor();
    check();
  });

  test("of many that differ can be read, and hides relations", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/mixed&tab=graph&depth=2");
    await page.locator('[data-id="cluster/mixed"]').waitFor();
    expect(await boxes(page).count()).toBe(131);
    await checkReadable(page);
    await page.getByLabel("Map of the picture").waitFor();
    await checkAccess(page);
    await page.getByLabel("is below").uncheck();
    await expect.poll(() => boxes(page).count()).toBe(1);
    await page.getByLabel("is below").check();
    await expect.poll(() => boxes(page).count()).toBe(131);
    check();
  });

  test("says what has more than can be shown", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/huge&tab=graph");
    await page.getByText("Only the nearest 1000 documents are shown; what has more says so.").waitFor();
    await page.getByText("cluster · has more").waitFor();
    await page.getByLabel("999 × environment, environment").waitFor();
    await checkReadable(page);
    check();
  });
});

test("the schema can be read at 1280 pixels", async () => {
  const { page, check } = await open("/ui/schema");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await boxes(page).first().waitFor();
  const area = await page.locator(".react-flow").boundingBox();
  await expect.poll(async () => (await boxes(page).first().boundingBox())?.height ?? 0).toBeGreaterThan(33);
  const places = await boxes(page).evaluateAll((all) => all.map((box) => box.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
  expect(places.length).toBeGreaterThan(40);
  expect(places.filter((box) => !area || box.left < area.x || box.right > area.x + area.width || box.top < area.y || box.bottom > area.y + area.height)).toEqual([]);
  const cut = await page.locator(".react-flow__node [title]").evaluateAll((all) => all.filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent));
  expect(cut).toEqual([]);
  check();
});
