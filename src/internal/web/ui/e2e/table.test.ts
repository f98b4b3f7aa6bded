import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess } from "./browser";
import { stage } from "./stage";

const tiers = ["gold", "silver", "silver"];

const { server, open } = stage(async ({ call }) => {
  for (const [i, name] of ["n-10", "n-2", "n-1"].entries()) await call("POST", "/v2/clusters", { metadata: { name, labels: { tier: tiers[i] } }, spec: { size: i } });
  await call("POST", "/v2/clusters/n-2/environments", { metadata: { name: "inner" } });
  await fetch(`${server.url}/v2/clusters/exact`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"metadata":{"name":"exact"},"spec":{"big":12345678901234567890,"fine":1.10,"text":"yes"}}' });
});

/** The names of the rows, in their order. */
function names(page: Page): Promise<string[]> {
  return page.locator("tbody").getByRole("link").allTextContents();
}

/** Presses a button that saves a file, and reads that. */
async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button, exact: true }).click()]);
  return readFileSync(await download.path(), "utf8");
}

describe("the table of a kind", () => {
  test("is sorted by its columns, and the address says so", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByRole("status").getByText("4 documents").waitFor();
    expect(await names(page)).toEqual(["exact", "n-1", "n-10", "n-2"]);
    const name = page.getByRole("columnheader", { name: "Name" });
    await name.getByRole("button").click();
    await expect.poll(() => names(page)).toEqual(["exact", "n-1", "n-2", "n-10"]);
    expect(await name.getAttribute("aria-sort")).toBe("ascending");
    await name.getByRole("button").click();
    await expect.poll(() => names(page)).toEqual(["n-10", "n-2", "n-1", "exact"]);
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-name");
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["n-10", "n-2", "n-1", "exact"]);
    await name.getByRole("button").click();
    await expect.poll(() => new URL(page.url()).searchParams.has("sort")).toBe(false);
    check();
  });

  test("is filtered by names and labels, and the address says so", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByLabel("Filter by name").fill("N-1");
    await page.getByRole("status").getByText("2 of 4 documents").waitFor();
    await page.getByRole("combobox", { name: "Filter by labels" }).click();
    await page.getByRole("option", { name: "tier=silver" }).click();
    await page.getByRole("status").getByText("1 of 2 documents").waitFor();
    expect(await names(page)).toEqual(["n-1"]);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ kind: "cluster", like: "N-1", labels: "tier=silver" });
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["n-1"]);
    await page.getByRole("combobox", { name: "Filter by labels" }).fill("tier in (");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await checkAccess(page);
    check();
  });

  test("is exported as CSV and as YAML that can be applied, with all digits", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByRole("status").getByText("4 documents").waitFor();
    const csv = await saved(page, "CSV");
    expect(csv.split("\r\n")[0]).toBe("id,revision,updated,created");
    expect(csv.split("\r\n").slice(1, 3).map((line) => line.split(",").slice(0, 2))).toEqual([["cluster/exact", "1"], ["cluster/n-1", "1"]]);
    await page.getByRole("checkbox", { name: "Select exact" }).check();
    const yaml = await saved(page, "YAML");
    expect(yaml).toContain("big: 12345678901234567890\n    fine: 1.10\n");
    const answer = await fetch(`${server.url}/v2/batch?dryRun=true`, { method: "POST", headers: { "Content-Type": "application/yaml" }, body: yaml });
    expect(await answer.json()).toEqual({ results: [{ index: 1, effect: "unchanged", id: "cluster/exact", kind: "cluster" }] });
    check();
  });

  test("of a kind with secrets is not exported as YAML", async () => {
    await server.call("POST", "/v2/credentials", { metadata: { name: "keeper" }, spec: { type: "usernamePassword", data: { username: "u", password: "hunter2" } } });
    const { page, check } = await open("/ui/explorer?kind=credential");
    await page.getByRole("status").getByText("1 document").waitFor();
    expect(await page.getByRole("button", { name: "YAML" }).getAttribute("aria-disabled")).toBe("true");
    expect(await saved(page, "CSV")).not.toContain("hunter2");
    check();
  });

  test("labels many documents after it has shown what changes", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByRole("status").getByText("4 documents").waitFor();
    const button = page.getByRole("button", { name: "Label", exact: true });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("checkbox", { name: "Select n-1", exact: true }).check();
    await page.getByRole("checkbox", { name: "Select n-10" }).check();
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Label 2 documents" });
    await dialog.getByLabel("Name of the label").fill("tier");
    await dialog.getByLabel("Value").fill("gold");
    await dialog.getByText("1 of 2 documents would change.").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await server.call("GET", "/v2/clusters/n-1")).toMatchObject({ metadata: { labels: { tier: "gold" } } });
    await page.getByText("None selected").waitFor();
    check();
  });

  test("deletes many documents after it has shown what goes with them", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster&like=n-");
    await page.getByRole("status").getByText("3 of 4 documents").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByText("3 selected").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 documents?" });
    await dialog.getByText("1 document that is not selected depends on them").waitFor();
    await dialog.getByText("4 documents would be deleted:").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Delete all 4" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("status").getByText("0 of 1 document").waitFor();
    await expect(server.call("GET", "/v2/clusters/n-2")).rejects.toThrow("404");
    check();
  });

  test("deletes more than a hundred only with the kind typed", async () => {
    const all = Array.from({ length: 101 }, (_, i) => `m-${i}`);
    await server.call("POST", "/v2/batch", all.map((name) => ({ kind: "cluster", data: { metadata: { name } } })));
    const { page, check } = await open("/ui/explorer?kind=cluster&like=m-");
    await page.getByRole("status").getByText("101 of").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 101 documents?" });
    const button = dialog.getByRole("button", { name: "Delete all 101" });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel("Type cluster to delete 101 documents").fill("cluster");
    await button.click();
    await dialog.waitFor({ state: "detached" });
    await expect(server.call("GET", "/v2/clusters/m-7")).rejects.toThrow("404");
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en", all: "Select all rows" },
    { name: "dark, Russian", scheme: "dark", locale: "ru", all: "Выбрать все строки" },
  ] as const)("accessible: $name", async ({ scheme, locale, all }) => {
    for (const phone of [false, true]) {
      const { page, check } = await open("/ui/explorer?kind=cluster&sort=-name&wide=true", { scheme, locale, phone });
      await page.getByRole("checkbox", { name: all }).check();
      await checkAccess(page);
      check();
    }
  });
});
