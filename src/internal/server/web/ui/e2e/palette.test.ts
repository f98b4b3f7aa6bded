import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess } from "./browser";
import { seed, seedChangeSet } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(async (started) => {
  await seed(started);
  await seedChangeSet(started);
  await started.call("PUT", "/v2/clusters/staged-only?changeSet=more-memory", { metadata: { name: "staged-only" } });
});

/** Opens the palette by the keyboard and types. */
async function find(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Search or jump to" });
  await dialog.locator("input:focus").waitFor();
  await page.keyboard.type(text);
  return dialog;
}

describe("the command palette", () => {
  test("finds documents by the beginning and by letters of their names, and opens them with the keyboard alone", async () => {
    const { page, check } = await open("/ui/schema");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    for (const [text, name] of [["bill", "billing cluster-01 / env-01 deployPostfix"], ["blng", "billing cluster-01 / env-01 deployPostfix"], ["env-01/bil", "billing cluster-01 / env-01 deployPostfix"]] as const) {
      const dialog = await find(page, text);
      await dialog.getByRole("group", { name: "Documents" }).getByRole("option", { name }).and(dialog.locator('[aria-selected="true"]')).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "billing", exact: true }).waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect(new URL(page.url()).searchParams.get("id")).toBe("cluster/cluster-01/environment/env-01/deployPostfix/billing");
    const again = await find(page, "");
    await again.getByRole("group", { name: "Recent documents" }).getByRole("option", { name: "billing" }).waitFor();
    await page.keyboard.press("Escape");
    await again.waitFor({ state: "detached" });
    check();
  });

  test("finds parameters and values, and shows where they are", async () => {
    await server.call("PUT", "/v2/clusters/with-value", { metadata: { name: "with-value" }, spec: { DB_HOST: "Postgres.example.org" } });
    const { page, check } = await open("/ui/schema");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const dialog = await find(page, "postgres.EXAMPLE");
    await dialog.getByRole("group", { name: "In documents" }).getByRole("option", { name: "Parameters and values with “postgres.EXAMPLE”" }).waitFor();
    await dialog.locator('[aria-busy="false"]').waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "cluster/with-value" }).waitFor();
    await page.getByText("spec.DB_HOST: Postgres.example.org").waitFor();
    await checkAccess(page);
    await server.call("DELETE", "/v2/clusters/with-value", undefined, { "If-Match": "*" });
    check();
  });

  test("leads to kinds, pages and actions", async () => {
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("treeitem").first().waitFor();
    let dialog = await find(page, "registryDef");
    await dialog.getByRole("group", { name: "Kinds" }).getByRole("option", { name: /^registryDefinition/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "registryDefinition" }).waitFor();
    dialog = await find(page, "activity");
    await dialog.getByRole("option", { name: "Activity", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ui/activity");
    dialog = await find(page, "new app");
    await dialog.getByRole("group", { name: "Actions" }).getByRole("option", { name: "New appDefinition" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New appDefinition" }).waitFor();
    dialog = await find(page, "dark");
    await dialog.getByRole("option", { name: "Use dark colours" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: "attached" });
    check();
  });

  test("switches to a change set, and finds what is staged in it", async () => {
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("treeitem").first().waitFor();
    let dialog = await find(page, "switch more memory");
    await dialog.getByRole("option", { name: "Switch to change set: More memory for the sale" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**changeSet=more-memory");
    dialog = await find(page, "staged-o");
    await dialog.getByRole("option", { name: "staged-only" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "staged-only" }).waitFor();
    dialog = await find(page, "leave");
    await dialog.getByRole("option", { name: "Leave the change set" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.search.includes("changeSet"));
    check();
  });

  test("opens from within the editor, and arrows choose", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/cluster-02&tab=yaml");
    await page.locator(".cm-content", { hasText: "cluster-02" }).click();
    const dialog = await find(page, "cluster-0");
    const options = dialog.getByRole("group", { name: "Documents" }).getByRole("option");
    await options.nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await options.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await dialog.getByRole("combobox").getAttribute("aria-activedescendant")).toBe(await options.nth(1).getAttribute("id"));
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Control+k");
    await dialog.waitFor({ state: "detached" });
    expect(await page.locator(".cm-content").innerText()).not.toContain("cluster-0\n");
    check();
  });

  test("follows what is created and deleted, and says when nothing is found", async () => {
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("treeitem").first().waitFor();
    const dialog = await find(page, "latecomer");
    await dialog.getByText("No matches.").waitFor();
    await server.call("POST", "/v2/clusters", { metadata: { name: "latecomer" } });
    await expect.poll(() => server.call("GET", "/v2/search?text=latecomer")).toMatchObject({ items: [{ id: "cluster/latecomer", kind: "cluster" }] });
    await server.call("DELETE", "/v2/clusters/latecomer", undefined, { "If-Match": "*" });
    await expect.poll(() => server.call("GET", "/v2/search?text=latecomer")).toMatchObject({ items: [] });
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en", label: "Search or jump to" },
    { name: "dark, Russian", scheme: "dark", locale: "ru", label: "Найти или перейти" },
  ] as const)("accessible: $name", async ({ scheme, locale, label }) => {
    for (const phone of [false, true]) {
      const { page, check } = await open("/ui/explorer", { scheme, locale, phone });
      await page.getByRole("treeitem").first().waitFor();
      await page.getByRole("button", { name: label }).click();
      const dialog = page.getByRole("dialog", { name: label });
      await dialog.getByRole("option").first().waitFor();
      await checkAccess(page);
      await page.keyboard.type("cluster");
      await dialog.getByRole("option", { name: "cluster-01 cluster" }).waitFor();
      await checkAccess(page);
      await page.keyboard.press("Control+a");
      await page.keyboard.type("qqqqqq");
      await dialog.getByRole("status").getByText(/\S/).waitFor();
      await checkAccess(page);
      check();
    }
  });
});
