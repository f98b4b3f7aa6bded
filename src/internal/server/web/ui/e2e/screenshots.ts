// Makes the pictures of docs/web.md: scripts/web --screenshots. SHOTS names another folder for them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { openPage, settled, startBrowser, type Look } from "./browser";
import { deltaText, seed, seedChangeSet, seedDescriptor, seedHistory, seedLayering, seedResolutions, seedSample, seedCatalog, seedSite, withKey } from "./seed";
import { startServer } from "./server";

const folder = process.env.SHOTS ?? fileURLToPath(new URL("../../../../../../docs/images", import.meta.url));
const environment = "cluster/cluster-01/environment/env-01";
const override = "/ui/overrides?cluster=cluster-01&environment=pl-01&context=runtime&level=application&namespace=pl-01-pg&application=postgres";

interface Shot {
  name: string;
  path: string;
  look?: Look;
  act?: (page: Page) => Promise<void>;
}

async function writeDelta(page: Page) {
  await page.locator(".cm-content").click();
  await page.keyboard.insertText(deltaText);
  await page.getByLabel("Mode").selectOption("extended-merge");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("heading", { name: "What would change" }).scrollIntoViewIfNeeded();
}

async function edit(page: Page) {
  await page.locator(".cm-content", { hasText: "env-01" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("  region: north\n");
  await page.getByText("The server found no errors.").waitFor();
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.locator(".cm-changedLine").first().waitFor();
}

async function plan(page: Page) {
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Show what would be deleted with it" }).click();
  await page.getByRole("button", { name: /Delete all/ }).waitFor();
}

async function editOverride(page: Page) {
  await page.getByLabel("Name of a new parameter").fill("LOG_LEVEL");
  await page.getByLabel("Its value").fill("debug");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("Comment").fill("see more while we test");
}

async function showClash(page: Page) {
  await page.getByRole("region", { name: "The conflict as a diagram" }).scrollIntoViewIfNeeded();
}

async function compare(page: Page) {
  await page.locator(".cm-changedLine").first().waitFor();
  await page.getByRole("region", { name: "Difference" }).scrollIntoViewIfNeeded();
}

async function compareStaged(page: Page) {
  await page.locator(".cm-changedLine").first().waitFor();
}

async function showConflict(page: Page) {
  await page.getByRole("table", { name: "Conflicts" }).waitFor();
}

async function openPalette(page: Page) {
  await page.keyboard.press("Control+k");
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.type("post");
  await page.getByRole("dialog").getByRole("option").first().waitFor();
}

const shots: Shot[] = [
  { name: "web-home", path: "/ui/" },
  { name: "web-explorer", path: `/ui/explorer?id=${environment}` },
  { name: "web-form", path: "/ui/explorer?id=registryDefinition/sample-registry&tab=form", look: { locale: "ru" } },
  { name: "web-diff", path: `/ui/explorer?id=${environment}&tab=yaml`, act: edit },
  { name: "web-graph", path: `/ui/explorer?id=${environment}&tab=graph&depth=2`, look: { scheme: "dark" } },
  { name: "web-delete", path: "/ui/explorer?id=cluster/cluster-01", act: plan },
  { name: "web-override", path: override, act: editOverride },
  { name: "web-effective", path: `${override}&side=affected`, look: { scheme: "dark" } },
  { name: "web-origin", path: `${override}&side=origin&path=/artifact`, look: { locale: "ru" } },
  { name: "web-layered", path: "/ui/layering?revision=3&schema=example/Kind/v1&name=network&layer=site", look: { scheme: "dark" } },
  { name: "web-clash", path: "/ui/resolutions?name=clash", act: showClash },
  { name: "web-descriptor", path: "/ui/descriptors?environment=cluster-01/env-01" },
  { name: "web-merge", path: "/ui/descriptors?environment=cluster-01/env-01&tab=merge", look: { scheme: "dark" }, act: writeDelta },
  { name: "web-history", path: "/ui/explorer?id=cluster/shop&tab=history", act: compare },
  { name: "web-changeset", path: "/ui/change-sets?name=more-memory&tab=changes", act: compareStaged },
  { name: "web-checks", path: "/ui/change-sets?name=more-memory&tab=checks", look: { scheme: "dark" }, act: showConflict },
  { name: "web-staged", path: "/ui/explorer?id=cluster/bank&changeSet=more-memory" },
  { name: "web-activity", path: "/ui/activity", look: { scheme: "dark" } },
  { name: "web-table", path: "/ui/explorer?kind=deployPostfix" },
  { name: "web-path", path: "/ui/explorer?id=appDefinition/postgres&tab=graph&depth=2&to=credential/reader" },
  { name: "web-palette", path: "/ui/", act: openPalette },
  { name: "web-blame", path: "/ui/explorer?id=cluster/shop&tab=history&view=blame" },
  { name: "web-change-sets", path: "/ui/change-sets" },
  { name: "web-system", path: "/ui/system" },
  { name: "web-phone", path: `/ui/explorer?id=${environment}&tab=links`, look: { phone: true } },
  { name: "web-schema", path: "/ui/schema?kind=registryDefinition" },
];

test("pictures of the pages", async () => {
  const server = await startServer();
  const sample = await startServer();
  const browser = await startBrowser();
  try {
    await seed(server);
    await seedDescriptor(server);
    await seedLayering(server);
    await seedResolutions(server);
    await seedHistory(server);
    await seedChangeSet(server);
    seedSample(sample);
    await sample.call("POST", "/api/ui-override?environmentId=cluster-01/pl-01&context=runtime&namespaceName=pl-01-pg&applicationName=postgres", { parameters: { artifact: "org.example.snakeyaml", tracing: { enabled: true, ratio: 0.1 } } });
    for (const { name, path, look, act } of shots) {
      const { page, check } = await openPage(browser, (path.startsWith(override) ? sample : server).url, path, look);
      await settled(page);
      await act?.(page);
      await settled(page);
      await page.getByText("Loading", { exact: true }).first().waitFor({ state: "hidden" }); // graphs are laid out in a worker
      await page.waitForTimeout(300);
      await page.screenshot({ path: `${folder}/${name}.png` });
      check();
      await page.context().close();
    }
  } finally {
    await browser.close();
    await server.stop();
    await sample.stop();
  }
});

test("pictures of a whole site and a whole catalog", async () => {
  const secrets = mkdtempSync(join(tmpdir(), "dovetail-shots-"));
  const server = await startServer(...withKey(secrets));
  const browser = await startBrowser();
  try {
    await seedSite(server);
    await seedCatalog(server);
    for (const [name, path] of [["web-layering", "/ui/layering?of=armada/Chart/v1 ucp-ceph-osd type"], ["web-catalog", "/ui/resolutions?tab=catalogs&source=community&package=aqua&channel=6.2.0&version=6.2.1"]] as const) {
      const { page, check } = await openPage(browser, server.url, path);
      await settled(page);
      await page.locator(".react-flow__node, path[data-kind]").first().waitFor({ state: "attached" });
      await page.waitForTimeout(300);
      await page.screenshot({ path: `${folder}/${name}.png` });
      check();
      await page.context().close();
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(secrets, { recursive: true, force: true });
  }
});

test("pictures of the beginning", async () => {
  const secrets = mkdtempSync(join(tmpdir(), "dovetail-shots-"));
  const access = join(secrets, "access.yaml");
  writeFileSync(access, "bindings:\n- {role: viewer, users: [\"oidc:ann\"]}\n");
  const empty = await startServer();
  const closed = await startServer("--access", access, "--oidc-issuer", "https://id.example.com", "--oidc-audience", "dovetail-ui", "--oidc-client-id", "dovetail-ui");
  const browser = await startBrowser();
  try {
    for (const [name, { url }] of [["web-empty", empty], ["web-login", closed]] as const) {
      const { page, check } = await openPage(browser, url, "/ui/");
      await settled(page);
      await page.screenshot({ path: `${folder}/${name}.png` });
      check();
    }
  } finally {
    await browser.close();
    await empty.stop();
    await closed.stop();
    rmSync(secrets, { recursive: true, force: true });
  }
});
