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
  await call("POST", "/v2/credentials", { metadata: { name: "reader" }, spec: { type: "usernamePassword", data: { username: "reader" } } });
  await call("POST", "/v2/registry-definitions", { metadata: { name: "images" }, spec: { credentialsId: "reader" } });
  for (const name of ["billing", "search"]) await call("POST", "/v2/app-definitions", { metadata: { name }, spec: { registryName: "images", groupId: "org.example", artifactId: name } });
  await call("POST", "/v2/batch", Array.from({ length: 1200 }, (_, i) => environment("huge", `env-${i}`)));
});

const boxes = (page: Page) => page.locator(".react-flow__node-box");
const marked = (page: Page, tone: string) => page.locator(`.react-flow__node-box:has([data-tone="${tone}"])`);

/** Fails when a text of the picture is lower than can be read, or nothing of what it is about can be seen. */
async function checkReadable(page: Page) {
  const main = page.locator(".react-flow__node:has([data-main])");
  await main.waitFor();
  await expect.poll(async () => (await main.boundingBox())?.height ?? 0).toBeGreaterThan(41);
  expect(await lowestText(page)).toBeGreaterThanOrEqual(11);
  const [area, box] = await Promise.all([page.locator(".react-flow").boundingBox(), main.boundingBox()]);
  if (!area || !box) throw new Error("nothing is drawn");
  expect(box.x >= area.x && box.y >= area.y && box.x + box.width <= area.x + area.width && box.y + box.height <= area.y + area.height).toBe(true);
}

/** The size of the smallest text of the picture, in pixels of the window. */
function lowestText(page: Page): Promise<number> {
  return page.locator(".react-flow__node [title]").evaluateAll((texts) => {
    const viewport = document.querySelector(".react-flow__viewport");
    const scale = new DOMMatrix(viewport ? getComputedStyle(viewport).transform : "none").a;
    return Math.round(100 * Math.min(...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * scale))) / 100;
  });
}

/** Fails where a box covers another, or stands outside of its frame. */
async function checkApart(page: Page) {
  const places = await boxes(page).evaluateAll((all) => all.map((box) => box.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
  const covered = places.filter((a, i) => places.slice(i + 1).some((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
  expect(covered).toEqual([]);
}

describe("the graph", () => {
  test("folds siblings; opened ones stand in a frame, in rows that can be read", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/plain&tab=graph");
    const group = page.getByLabel("65 × environment, environment");
    await group.waitFor();
    expect(await boxes(page).count()).toBe(2);
    await checkReadable(page);
    await group.focus();
    await page.keyboard.press("Enter");
    await page.locator('[data-id="cluster/plain/environment/env-64"]').waitFor();
    expect(await boxes(page).count()).toBe(66);
    await page.getByText("environment · 65").waitFor();
    expect(await page.locator(".react-flow__edge").count()).toBe(1);
    await checkReadable(page);
    await checkApart(page);
    expect(new Set(await boxes(page).evaluateAll((all) => all.map((box) => Math.round(box.getBoundingClientRect().top)))).size).toBeGreaterThan(8);
    await page.getByLabel("Map of the picture").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Fold siblings again" }).click();
    await group.waitFor();
    check();
  });

  test("folds what is below siblings with them; of many that differ it can be read, and hides relations", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/mixed&tab=graph&depth=2");
    await page.getByLabel("65 × deployPostfix, deployPostfix").waitFor();
    expect(await boxes(page).count()).toBe(3);
    await page.getByLabel("65 × environment, environment").click();
    await page.locator('[data-id="cluster/mixed/environment/env-64/deployPostfix/ns-0"]').waitFor();
    expect(await boxes(page).count()).toBe(131);
    await checkReadable(page);
    await checkApart(page);
    await page.getByLabel("Map of the picture").waitFor();
    await checkAccess(page);
    const relations = page.locator("details li");
    expect(await relations.count()).toBe(0); // a list of many is made when it is asked for
    await page.getByText("The same as a list").click();
    await expect.poll(() => relations.count()).toBe(130);
    await page.getByLabel("is below").uncheck();
    await expect.poll(() => boxes(page).count()).toBe(1);
    await page.getByLabel("is below").check();
    await expect.poll(() => boxes(page).count()).toBe(131);
    check();
  });

  test("says what has more than can be shown, and shows a thousand that can be read", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/huge&tab=graph");
    await page.getByText("Only the nearest 1,000 documents are shown; what has more says so.").waitFor();
    await page.getByText("cluster · has more").waitFor();
    const group = page.getByLabel("999 × environment, environment");
    await group.waitFor();
    await checkReadable(page);
    await group.click();
    await page.getByText("environment · 999").waitFor();
    await checkReadable(page);
    await checkApart(page);
    check();
  });

  test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const }, { scheme: "light" as const, phone: true }])("shows a path between two documents, in a picture and in words: %o", async (look) => {
    const { page, check } = await open("/ui/explorer?id=appDefinition/billing&tab=graph", look);
    await page.locator('[data-id="registryDefinition/images"]').waitFor();
    await page.getByLabel(look.locale === "ru" ? "Путь к" : "Path to").fill("sear");
    await page.getByRole("option", { name: "appDefinition/search" }).click();
    await expect.poll(() => marked(page, "path").count()).toBe(3);
    expect(new URL(page.url()).searchParams.get("to")).toBe("appDefinition/search");
    const words = page.getByRole("navigation", { name: look.locale === "ru" ? "Путь" : "Path", exact: true });
    expect(await words.innerText()).toMatch(/billing → .* → registryDefinition\/images ← .* ← appDefinition\/search/);
    expect(await page.locator('.react-flow__edge [data-tone="path"]').count()).toBe(2);
    await checkAccess(page);
    check();
  });

  test("says where there is no path", async () => {
    const { page, check } = await open("/ui/explorer?id=appDefinition/billing&tab=graph&to=cluster/plain");
    await page.getByText("There is no path of up to six steps between them.").waitFor();
    expect(await marked(page, "path").count()).toBe(0);
    check();
  });

  test("marks what a deletion takes along, and what depends on a document", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/plain&tab=graph&mark=deleted", { scheme: "dark" });
    await page.getByText("A deletion with cascade takes 65 more along.").waitFor();
    await expect.poll(() => marked(page, "deleted").count()).toBe(2);
    await checkAccess(page);
    await page.goto(page.url().replace("id=cluster/plain", "id=credential/reader").replace("mark=deleted", "mark=dependent&depth=2"));
    await page.getByText("3 of these depend on it.").waitFor();
    await expect.poll(() => marked(page, "dependent").count()).toBe(4);
    await page.getByText("Nothing", { exact: true }).click();
    await expect.poll(() => marked(page, "dependent").count()).toBe(0);
    check();
  });
});

test("the schema is one picture that can be read at 1280 pixels", async () => {
  const { page, check } = await open("/ui/schema");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await boxes(page).first().waitFor();
  const area = await page.locator(".react-flow").boundingBox();
  await expect.poll(() => lowestText(page)).toBeGreaterThanOrEqual(11);
  const places = await boxes(page).evaluateAll((all) => all.map((box) => box.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
  expect(places.length).toBeGreaterThan(40);
  expect(places.filter((box) => !area || box.left < area.x || box.right > area.x + area.width || box.top < area.y || box.bottom > area.y + area.height)).toEqual([]);
  await checkApart(page);
  const cut = await page.locator(".react-flow__node [title]").evaluateAll((all) => all.filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent));
  expect(cut).toEqual([]);
  const names = await page.locator(".react-flow__node-box").evaluateAll((all) => all.map((box) => box.getAttribute("aria-label")));
  expect(new Set(names).size).toBe(names.length);
  check();
});
