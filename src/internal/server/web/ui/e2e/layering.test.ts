import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { putBucket, seedLayering, seedSite, withKey } from "./seed";
import { stage } from "./stage";

const { server, open: openPath } = stage(seedLayering);
const open = (query: string, look = {}) => openPath(`/ui/layering${query}`, look);
const network = "?revision=3&schema=example/Kind/v1&name=network&layer=site";

/** Documents of a hundred values each. */
const hosts = (value: (i: number) => number, n: number) =>
  Array.from({ length: n }, (_, i) => `schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: host-${String(i).padStart(3, "0")}, layeringDefinition: {layer: region}}\ndata: {${Array.from({ length: 100 }, (__, k) => `k${k}: ${value(i)}`).join(", ")}}\n`).join("---\n");

describe("layered documents", () => {
  test("revisions, the newest first, and documents by layer with their parents", { tags: ["journey"] }, async () => {
    const { page, check } = await open("?show=table");
    await page.getByRole("link", { name: "Revision 1" }).waitFor();
    expect(await page.getByRole("region", { name: "Revisions" }).getByRole("link").allInnerTexts()).toEqual(["Revision 3", "Revision 2", "Revision 1"]);
    const time = page.getByRole("region", { name: "Revisions" }).getByRole("time").first();
    expect(await time.innerText()).toMatch(/ago$/);
    expect(await time.getAttribute("title")).toMatch(/\d{4}.*\d:\d\d/);
    await page.getByText("Buckets: global, site").waitFor();
    const layer = page.getByRole("region", { name: "3. site" });
    await layer.getByRole("row", { name: "network example/Kind/v1 site north (in region) ← base (in global)" }).waitFor();
    await page.getByRole("region", { name: "1. global" }).getByRole("row", { name: "base abstract" }).waitFor();
    await page.getByRole("region", { name: "Control documents" }).getByRole("link", { name: "layering-policy" }).waitFor();
    await layer.getByRole("link", { name: "north" }).click();
    await page.getByText("It is not rendered by itself").waitFor();
    await page.getByRole("link", { name: "Revision 1" }).click();
    await page.getByRole("heading", { name: "north" }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ show: "table", revision: "1", schema: "example/Kind/v1", name: "north", layer: "region" });
    check();
  });

  test("columns by layer, with arrows to parents, and what a document is connected with", async () => {
    const { page, check } = await open("?revision=3");
    const board = page.getByRole("region", { name: "Columns" });
    const site = board.getByRole("region", { name: "3. site" });
    const card = site.getByRole("listitem").filter({ has: page.getByRole("link", { name: "network", exact: true }) });
    await card.getByTitle("Inherits from: example/Kind/v1 north").waitFor();
    await card.getByTitle("Substitutes from: deckhand/Passphrase/v1 db-password").waitFor();
    expect(await board.getByRole("region").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).toEqual(["1. global", "2. region", "3. site", "Control documents"]);
    const arrows = board.locator("path[data-kind]");
    await expect.poll(() => arrows.count()).toBe(2); // network to north, north to base
    await card.getByRole("link", { name: "network", exact: true }).focus();
    await expect.poll(() => board.locator('path[data-kind="source"]').count()).toBe(1);
    expect(await board.locator("[data-lit]").count()).toBe(4);
    await checkAccess(page);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Show only what is connected with network");
    await page.keyboard.press("Enter");
    await page.getByText("4 of 5 documents").waitFor();
    expect(new URL(page.url()).searchParams.get("of")).toBe("example/Kind/v1 network site");
    await checkAccess(page);
    await page.reload();
    await page.getByText("4 of 5 documents").waitFor();
    await page.getByRole("button", { name: "Show all documents" }).click();
    await page.getByText("5 of 5 documents").waitFor();
    await page.getByLabel("Find a document").fill("pass");
    await page.getByText("1 of 5 documents").waitFor();
    check();
  });

  test("on a phone the layers are below each other, without arrows", async () => {
    const { page, check } = await open("?revision=3", { phone: true, locale: "ru", scheme: "dark" });
    const board = page.getByRole("region", { name: "Столбцы" });
    await board.getByRole("link", { name: "network", exact: true }).waitFor();
    expect(await board.locator("svg[data-strong], svg:has(marker)").isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await settled(page);
    await checkAccess(page);
    check();
  });

  test("what was put beside what it renders to, and where each value comes from", async () => {
    const { page, check } = await open(network);
    const both = page.getByRole("region", { name: "As stored, and rendered" });
    await both.locator(".cm-changedLine", { hasText: "dns: 10.1.0.2" }).waitFor();
    const values = page.getByRole("region", { name: "Where the values come from" });
    await values.getByRole("row", { name: ".tags.a 1 base (in global): its data" }).waitFor();
    await values.getByRole("row", { name: /\.password "swordfish" network \(in site\): substitution 1 to \.password ← db-password \(in site\)/ }).waitFor();
    await page.getByTitle("Where .mtu comes from").click();
    const steps = page.getByRole("dialog", { name: "Where the value comes from" }).getByRole("listitem");
    expect(await steps.allInnerTexts()).toEqual([expect.stringMatching(/8000\s*wins\s*network \(in site\): action 1, merge \./), expect.stringMatching(/1500\s*was replaced\s*base \(in global\): its data/)]);
    expect(new URL(page.url()).searchParams.get("path")).toBe(".mtu");
    await checkAccess(page);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "db-password" }).first().click();
    await page.getByRole("heading", { name: "db-password" }).waitFor();
    check();
  });

  test("what changed between two revisions, by bucket and document", async () => {
    const { page, check } = await open("?revision=3&tab=compare");
    const site = page.getByRole("region", { name: "Bucket site" });
    await site.locator('[data-change="changed"]', { hasText: "example/Kind/v1 network" }).waitFor();
    await site.locator(".cm-merge-a .cm-changedLine", { hasText: "mtu: 9000" }).waitFor();
    await site.locator(".cm-merge-b .cm-changedLine", { hasText: "mtu: 8000" }).waitFor();
    await page.getByRole("heading", { name: "Bucket global: unchanged" }).waitFor();
    await page.getByLabel("Changes since").selectOption("1");
    await site.getByRole("heading", { name: "Bucket site: created" }).waitFor();
    expect(new URL(page.url()).searchParams.get("other")).toBe("1");
    await checkAccess(page);
    check();
  });

  test("pointing at a rendered value, or going there with the keyboard, says where it comes from", async () => {
    const { page, check } = await open(network);
    const both = page.getByRole("region", { name: "As stored, and rendered" });
    const line = both.locator(".cm-merge-b .cm-line", { hasText: "dns: 10.1.0.2" });
    await line.waitFor();
    await settled(page); // until the origins are there, there is nothing to say
    await line.locator("span").last().hover();
    await page.locator(".cm-hint").getByText(".dns").waitFor();
    await page.locator(".cm-hint").getByText(/^north \(in region\): its data|^network \(in site\): action|^north/).first().waitFor();
    await page.mouse.move(0, 0);
    await both.locator(".cm-merge-b .cm-line", { hasText: /^data:/ }).click();
    const said = both.getByRole("status");
    for (let i = 0; i < 30 && !(await said.innerText()).startsWith(".dns"); i++) {
      await page.keyboard.press("ArrowDown"); // oxlint-disable-line no-await-in-loop -- it goes line by line
      await page.waitForTimeout(100); // oxlint-disable-line no-await-in-loop -- the status follows the cursor
    }
    await said.getByText(/^\.dns · \w+ \(in \w+\): /).waitFor();
    await checkAccess(page);
    await both.getByRole("button", { name: "All steps" }).click();
    await page.getByRole("dialog", { name: "Where the value comes from" }).waitFor();
    check();
  });

  test("a tag is set", async () => {
    const { page, check } = await open("?revision=2");
    await page.getByLabel("New tag").fill("deployed");
    await page.getByRole("button", { name: "Tag it" }).click();
    await page.getByRole("listitem").filter({ hasText: "Revision 2" }).getByText("deployed").waitFor();
    check();
  });

  test("a long list comes page by page; a revision that is not there says so", async () => {
    const many = Array.from({ length: 60 }, (_, i) => `schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: many-${String(i).padStart(2, "0")}, layeringDefinition: {layer: region}}\ndata: {i: ${i}}\n`);
    await putBucket(server, "many", many.join("---\n"));
    const { page, check } = await open("?show=table");
    const layer = page.getByRole("region", { name: "2. region" });
    await layer.getByRole("link", { name: "many-49" }).waitFor();
    expect(await layer.getByRole("link", { name: "many-50" }).count()).toBe(0);
    await layer.getByText("Load more").click();
    await layer.getByRole("link", { name: "many-59" }).waitFor();
    await page.goto(`${server.url}/ui/layering?revision=99`);
    await page.getByRole("alert").getByText("there is no revision 99").first().waitFor();
    await page.goto(`${server.url}/ui/layering?revision=x`);
    await page.getByText("This revision does not exist.").waitFor();
    check();
  });

  test("many differing documents are a list with filters; a difference is read when it is opened", async () => {
    await putBucket(server, "hosts", hosts((i) => i, 250));
    await putBucket(server, "hosts", hosts((i) => (i < 240 ? i + 1 : i), 245));
    const { page, check } = await open("?tab=compare");
    const bucket = page.getByRole("region", { name: "Bucket hosts" });
    await bucket.getByRole("button", { name: /changed example\/Kind\/v1 host-000/ }).waitFor();
    await page.getByText("245 documents differ").waitFor();
    expect(await bucket.locator("[data-change]").count()).toBe(100);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6000);
    await bucket.getByRole("button", { name: "Show more: 145 are left" }).click();
    await expect.poll(() => bucket.locator("[data-change]").count()).toBe(200);
    await page.getByText("changed: 240").click();
    await page.getByText("5 of 245 documents").waitFor();
    expect(await bucket.locator('[data-change="removed"]').count()).toBe(5);
    await page.getByText("changed: 240").click();
    await page.getByLabel("Layer", { exact: true }).selectOption("site");
    await page.getByText("0 of 245 documents").waitFor(); // all of them are in another layer
    await page.getByLabel("Layer", { exact: true }).selectOption("region");
    await page.getByText("245 documents differ").waitFor();
    await page.getByLabel("Schema", { exact: true }).selectOption("example/Kind/v1");
    await page.getByText("245 documents differ").waitFor();
    await page.getByLabel("Find a document").fill("host-01");
    await page.getByText("10 of 245 documents").waitFor();
    await bucket.getByRole("button", { name: /host-011/ }).click();
    await bucket.locator(".cm-merge-a .cm-changedLine", { hasText: "k0: 11" }).waitFor();
    await bucket.locator(".cm-merge-b .cm-changedLine", { hasText: "k0: 12" }).waitFor();
    await checkAccess(page);
    check();
  });

  test("hostile names and values are text, never HTML", async () => {
    await putBucket(server, "hostile", `schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: "<img src=x onerror=alert(1)>", layeringDefinition: {layer: site}}
data: {"<b>k</b>": "<script>alert(2)</script>", link: "javascript:alert(3)"}
`);
    const { page, check } = await open("");
    await page.getByRole("link", { name: "<img src=x" }).click();
    await page.getByRole("region", { name: "Where the values come from" }).getByText("<script>alert(2)</script>").waitFor();
    expect(await page.locator("#content").locator("script, iframe, img, [onerror], [onload], a[href^=javascript]").count()).toBe(0);
    check();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru" },
    { name: "dark, English", scheme: "dark", locale: "en" },
  ] as const)("accessible: $name", async ({ scheme, locale }) => {
    const { page, check } = await open("", { scheme, locale });
    for (const query of ["?revision=3", "?revision=3&show=table", network, `${network}&tab=compare`]) {
      await page.goto(`${server.url}/ui/layering${query}`);
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      await checkAccess(page);
    }
    check();
  });
});

describe("a whole site of 427 documents, of which 70 are secret", () => {
  const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-layering-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { open: openAt } = stage(seedSite, ...withKey(folder));

  test("stands in columns, and a chart with what it is made of alone", async () => {
    const { page, check } = await openAt("/ui/layering");
    await page.getByText("427 of 427 documents").waitFor();
    const board = page.getByRole("region", { name: "Columns" });
    expect(await board.getByRole("region").count()).toBeGreaterThanOrEqual(3);
    await board.getByRole("button", { name: /^Show more: \d+ are left$/ }).first().waitFor();
    await settled(page);
    await checkAccess(page);
    await page.getByLabel("Find a document").fill("ceph-osd");
    await board.getByRole("button", { name: "Show only what is connected with" }).first().click();
    await page.getByLabel("Find a document").fill("");
    await expect.poll(() => board.locator("path[data-kind]").count()).toBeGreaterThan(0);
    await checkAccess(page);
    check();
  });

  test("is compared document by document", async () => {
    const { page, check } = await openAt("/ui/layering?tab=compare");
    const bucket = page.getByRole("region", { name: "Bucket airsloop" });
    const first = bucket.getByRole("button", { name: /changed/ }).first();
    await first.click();
    await bucket.locator(".cm-merge-b .cm-changedLine", { hasText: "registry.example.org" }).first().waitFor();
    await checkAccess(page);
    check();
  });
});
