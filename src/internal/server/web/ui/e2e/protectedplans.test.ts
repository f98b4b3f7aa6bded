import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess, settled, type Look } from "./browser";
import { banner, named } from "./proposals";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const by = (user: string) => ({ Authorization: `Bearer ${tokenOf(user)}` });
const as = by("alice");
const folder = mkdtempSync(join(tmpdir(), "dovetail-plans-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const access = join(folder, "access.yaml");
writeFileSync(access, JSON.stringify({
  bindings: [{ role: "editor", users: ["alice", "bob"] }],
  tokens: ["alice", "bob"].map((name) => ({ name, groups: [], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
  protect: [{ on: ["cluster/prod", "cluster/above/environment/inner", "siteParamSet/shared"], approvals: 1 }],
}));
const { server, open } = stage(async ({ call }) => {
  /** Merges writes of protected documents, which are approved. */
  const merge = async (name: string, writes: Record<string, object>) => {
    await call("POST", "/api/change-sets", { name, title: name }, as);
    for (const [path, body] of Object.entries(writes)) await call("PUT", `/v2/${path}?changeSet=${name}`, body, as);
    await call("POST", `/api/change-sets/${name}/reviews`, { decision: "approve" }, by("bob"));
    await call("POST", `/api/change-sets/${name}/merge`, {}, as);
  };
  await call("POST", "/v2/clusters", named("open"), as);
  await call("POST", "/v2/clusters", named("above"), as);
  await call("POST", "/v2/clusters/open/environments", named("dev"), as);
  await merge("first", { "clusters/prod": named("prod", { size: 1 }), "clusters/above/environments/inner": named("inner") });
  await merge("second", { "clusters/prod": named("prod", { size: 2 }) });
}, "--access", access);

async function openTable(path: string, look?: Look) {
  const opened = await open("/ui/nowhere", look);
  await opened.page.evaluate((text) => sessionStorage.setItem("dovetail-token", text), tokenOf("alice"));
  await opened.page.goto(server.url + path);
  return opened;
}

/** Selects a row of a table and chooses what is done with it. */
async function choose(page: Page, row: string, action: string): Promise<Locator> {
  await page.getByRole("checkbox", { name: `Select ${row}`, exact: true }).check();
  await page.getByRole("toolbar").getByRole("button", { name: action, exact: true }).click();
  return page.getByRole("dialog");
}

/** Expects that a button can be reached, and says which protection forbids what it does. */
async function refused(button: Locator, place: string): Promise<void> {
  await expect.poll(() => button.getAttribute("aria-description")).toBe(`${place} is protected: it changes only through a change set with 1 approval.`);
  expect(await button.getAttribute("aria-disabled")).toBe("true");
}

/** Goes on in a new change set with what a dialog plans. */
async function goOn(page: Page, dialog: Locator, title: string): Promise<void> {
  await dialog.getByRole("button", { name: "Add to change set" }).last().click();
  const asked = page.getByRole("dialog", { name: "Add to change set" });
  await asked.getByLabel("Title").fill(title);
  await asked.getByRole("button", { name: "Stage it" }).click();
  await dialog.getByText("This is the plan in the change set").waitFor();
}

describe("what protections leave to change sets", () => {
  test("a label", async () => {
    const { page, check } = await openTable("/ui/explorer?kind=cluster");
    const dialog = await choose(page, "prod", "Label");
    await refused(dialog.getByRole("button", { name: "Apply" }), "cluster/prod");
    await dialog.getByLabel("Name of the label").fill("tier");
    await dialog.getByLabel("Value").fill("gold");
    await dialog.getByText("This needs a change set").waitFor();
    await settled(page);
    await checkAccess(page);
    await goOn(page, dialog, "Gold");
    await dialog.getByText("1 of 1 documents would change.").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await banner(page).getByText("Gold").waitFor();
    expect(await server.call("GET", "/v2/clusters/prod?changeSet=gold", undefined, as)).toMatchObject({ metadata: { labels: { tier: "gold" } } });
    expect(await server.call("GET", "/v2/clusters/prod", undefined, as)).not.toHaveProperty("metadata.labels");
    check();
  });

  test("an edit of fields, in Russian on a phone", async () => {
    const { page, check } = await openTable("/ui/explorer?kind=cluster", { locale: "ru", phone: true });
    await page.getByRole("checkbox", { name: /prod/ }).check();
    await page.getByRole("toolbar").getByRole("button", { name: "Изменить поля" }).click();
    const dialog = page.getByRole("dialog");
    const button = dialog.getByRole("button", { name: "Применить" });
    await expect.poll(() => button.getAttribute("aria-description")).toContain("cluster/prod");
    await dialog.getByRole("combobox", { name: "Поле" }).fill("spec.size");
    await dialog.getByRole("combobox", { name: "Значение" }).fill("3");
    await dialog.getByText("Для этого нужен набор изменений").waitFor();
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    check();
  });

  test("a deletion that takes a protected document along, with the plan of the change set", async () => {
    const { page, check } = await openTable("/ui/explorer?kind=cluster");
    const dialog = await choose(page, "above", "Delete");
    await refused(dialog.getByRole("button", { name: "Delete", exact: true }), "cluster/above/environment/inner");
    await goOn(page, dialog, "Without above");
    await dialog.getByText("2 documents would be deleted:").waitFor();
    await dialog.getByRole("button", { name: "Delete all 2" }).click();
    await banner(page).getByText("Without above").waitFor();
    expect(await server.call("GET", "/v2/clusters/above", undefined, as)).toMatchObject({ metadata: { name: "above" } });
    check();
  });

  test("a move below a protected document", async () => {
    const { page, check } = await openTable("/ui/explorer?kind=environment");
    const dialog = await choose(page, "open/dev", "Move");
    await dialog.getByRole("combobox", { name: "Move below" }).click();
    await dialog.getByRole("option", { name: "prod", exact: true }).click();
    await refused(dialog.getByRole("button", { name: "Move", exact: true }), "cluster/prod");
    await goOn(page, dialog, "Dev to prod");
    await dialog.getByText("cluster/open/environment/dev → cluster/prod/environment/dev").waitFor();
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await banner(page).getByText("Dev to prod").waitFor();
    expect(await server.call("GET", "/v2/clusters/prod/environments/dev?changeSet=dev-to-prod", undefined, as)).toMatchObject({ metadata: { name: "dev" } });
    check();
  });

  test("a version that is restored", async () => {
    const { page, check } = await openTable("/ui/explorer?id=cluster/prod&tab=history");
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    const dialog = page.getByRole("dialog");
    await refused(dialog.getByRole("button", { name: "Restore", exact: false }).last(), "cluster/prod");
    await checkAccess(page);
    await goOn(page, dialog, "As it was");
    await dialog.getByText("would be updated").waitFor();
    await dialog.getByRole("button", { name: /^Restore/ }).click();
    await banner(page).getByText("As it was").waitFor();
    expect(await server.call("GET", "/v2/clusters/prod?changeSet=as-it-was", undefined, as)).toMatchObject({ spec: { size: 1 } });
    check();
  });

  test("a transaction that is reverted, with the keyboard", async () => {
    const { page, check } = await openTable("/ui/explorer?id=cluster/prod&tab=history");
    await page.getByRole("button", { name: "Revert transaction" }).first().press("Enter");
    const dialog = page.getByRole("dialog");
    const button = dialog.getByRole("button", { name: "Revert", exact: true });
    await refused(button, "cluster/prod");
    await button.press("Enter");
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole("button", { name: "Add to change set" }).last().press("Enter");
    const asked = page.getByRole("dialog", { name: "Add to change set" });
    await asked.getByLabel("Title").fill("Undone");
    await asked.getByRole("button", { name: "Stage it" }).press("Enter");
    await dialog.getByText("This is the plan in the change set").waitFor();
    await dialog.getByText("would be updated").waitFor();
    await button.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(async () => server.call("GET", "/v2/clusters/prod?changeSet=undone", undefined, as)).toMatchObject({ spec: { size: 1 } });
    expect(await page.getByText("Reverted.").count()).toBe(0);
    check();
  });

  test("common parameters that move into a protected ParamSet", async () => {
    for (const name of ["e1", "e2"]) {
      await server.call("POST", "/v2/clusters/open/environments", named(name), as);
      await server.call("POST", `/api/ui-override?environmentId=open/${name}&context=runtime`, { parameters: { ALIKE: "same" } }, as);
    }
    const { page, check } = await openTable("/ui/overrides?cluster=open&environment=e1&context=runtime");
    await page.getByRole("button", { name: "Common parameters" }).click();
    const dialog = page.getByRole("dialog", { name: "Parameters that many environments override alike" });
    await dialog.getByRole("button", { name: "Move ALIKE" }).click();
    await dialog.getByLabel("ParamSet", { exact: true }).fill("shared");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await refused(dialog.getByRole("button", { name: "Move", exact: true }), "siteParamSet/shared");
    await settled(page);
    await checkAccess(page);
    await goOn(page, dialog, "Alike");
    await dialog.getByText("No value changes.").waitFor();
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await banner(page).getByText("Alike").waitFor();
    expect(await server.call("GET", "/v2/param-sets/shared?changeSet=alike", undefined, as)).toMatchObject({ spec: { parameters: { ALIKE: "same" } } });
    check();
  });
});
