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

  test("is filtered by fields, and the filters are cleared together", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster&like=n");
    await page.getByRole("status").getByText("3 of 4 documents").waitFor();
    await page.getByRole("combobox", { name: "Filter by fields" }).click();
    await page.getByRole("option", { name: "spec.size=2" }).click();
    await page.getByRole("status").getByText("1 document", { exact: true }).waitFor();
    expect(await names(page)).toEqual(["n-1"]);
    expect(new URL(page.url()).searchParams.get("fields")).toBe("spec.size=2");
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["n-1"]);
    await checkAccess(page);
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("status").getByText("4 documents").waitFor();
    await expect.poll(() => page.getByLabel("Filter by name").inputValue()).toBe("");
    expect([...new URL(page.url()).searchParams.keys()]).toEqual(["kind"]);
    check();
  });

  test.each([
    { look: { scheme: "light", locale: "en" }, none: "Filters", one: "Filters: 1 active", two: "Filters: 2 active", clear: "Clear the filter" },
    { look: { scheme: "dark", locale: "ru" }, none: "Фильтры", one: "Фильтры: 1 активный", two: "Фильтры: 2 активных", clear: "Сбросить фильтр" },
  ] as const)("on a phone has its filters behind a button, by the keyboard too: $look.locale", async ({ look, none, one, two, clear }) => {
    const { page, check } = await open("/ui/explorer?kind=cluster&labels=tier%3Dsilver", { ...look, phone: true });
    const name = page.locator("[data-filter]");
    const top = async () => (await page.getByRole("table").boundingBox())?.y;
    await expect.poll(() => names(page)).toEqual(["n-1", "n-2"]);
    expect(await top()).toBeLessThan(844 * 0.45);
    expect(await page.getByRole("button", { name: one, exact: true }).getAttribute("aria-expanded")).toBe("false");
    expect(await name.isVisible()).toBe(false);
    await checkAccess(page);
    await page.keyboard.press("/");
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type("n-1");
    const button = page.getByRole("button", { name: two, exact: true });
    await button.waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await expect.poll(() => names(page)).toEqual(["n-1"]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await checkAccess(page);
    await button.press("Enter");
    expect(await name.isVisible()).toBe(false);
    await page.getByRole("checkbox").last().check();
    await page.getByRole("toolbar").getByRole("button").nth(3).waitFor(); // what can be done with it
    await button.press("Enter");
    await page.getByRole("button", { name: clear }).click();
    await page.getByRole("button", { name: none, exact: true }).waitFor();
    check();
  });

  test("offers no secrets as filters", async () => {
    await server.call("POST", "/v2/credentials", { metadata: { name: "hidden" }, spec: { type: "secret", data: { secret: "hunter2" }, note: "seen" } });
    const { page, check } = await open("/ui/explorer?kind=credential");
    await page.getByRole("status").getByText("1 document").waitFor();
    await page.getByRole("combobox", { name: "Filter by fields" }).click();
    await page.getByRole("option", { name: "spec.type=secret" }).waitFor();
    expect((await page.getByRole("option").allTextContents()).join(" ")).not.toContain("hunter2");
    await server.call("DELETE", "/v2/credentials/hidden", undefined, { "If-Match": "*" });
    check();
  });

  test("shows what others change, create and delete, and keeps what is selected", async () => {
    const { page, check } = await open("/ui/explorer?kind=environment&by=id&find=cluster/n-1&sort=-updated&wide=true");
    await page.getByText("No matches.").waitFor();
    await server.call("POST", "/v2/clusters/n-1/environments", { metadata: { name: "first" } });
    await page.getByRole("link", { name: "first", exact: true }).waitFor();
    await server.call("POST", "/v2/clusters/n-1/environments", { metadata: { name: "second" } });
    await expect.poll(() => names(page)).toEqual(["second", "first"]);
    await page.getByRole("checkbox", { name: "Select first", exact: true }).check();
    await server.call("PUT", "/v2/clusters/n-1/environments/first", { metadata: { name: "first" }, spec: { a: 1 } });
    await expect.poll(() => names(page)).toEqual(["first", "second"]);
    await page.locator("tr[data-changed]", { hasText: "first" }).waitFor();
    await page.getByText("1 selected").waitFor();
    await checkAccess(page);
    await server.call("DELETE", "/v2/clusters/n-1/environments/second", undefined, { "If-Match": "*" });
    await expect.poll(() => names(page)).toEqual(["first"]);
    await server.call("DELETE", "/v2/clusters/n-1/environments/first", undefined, { "If-Match": "*" });
    await page.getByText("No matches.").waitFor();
    check();
  });

  test("moves many documents after it has shown which references that rewrites", async () => {
    await server.call("POST", "/v2/batch", ["east", "west"].map((name) => ({ kind: "cluster", data: { metadata: { name } } })));
    for (const name of ["dev", "test"]) await server.call("POST", "/v2/clusters/east/environments", { metadata: { name } });
    await server.call("POST", "/v2/clusters/east/environments/dev/namespaces", { metadata: { name: "core" } });
    await server.call("POST", "/v2/clusters/west/environments", { metadata: { name: "test" } });
    const { page, check } = await open("/ui/explorer?kind=environment&by=id&find=cluster/east");
    await page.getByRole("status").getByText("2 documents").waitFor();
    await page.getByRole("checkbox", { name: "Select all rows" }).check();
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Move 2 documents" });
    await dialog.getByRole("combobox", { name: "Move below" }).click();
    await dialog.getByRole("option", { name: "west" }).click();
    await dialog.getByText("cluster/east/environment/test cannot be moved:").waitFor();
    await dialog.getByRole("alert").getByText("cluster/west/environment/test").first().waitFor();
    expect(await dialog.getByRole("button", { name: "Move", exact: true }).isDisabled()).toBe(true);
    await checkAccess(page);
    await dialog.getByRole("combobox", { name: "Move below" }).click();
    await dialog.getByRole("option", { name: "n-1", exact: true }).click();
    await dialog.getByText("3 documents get another ID, with what is below; 0 references are rewritten.").waitFor();
    await dialog.getByText("cluster/east/environment/dev → cluster/n-1/environment/dev").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("No matches.").waitFor();
    expect(await server.call("GET", "/v2/clusters/n-1/environments/dev/namespaces/core")).toMatchObject({ metadata: { name: "core" } });
    for (const name of ["east", "west"]) await server.call("DELETE", `/v2/clusters/${name}?cascade=true`, undefined, { "If-Match": "*" });
    await server.call("DELETE", "/v2/clusters/n-1/environments/dev?cascade=true", undefined, { "If-Match": "*" });
    await server.call("DELETE", "/v2/clusters/n-1/environments/test?cascade=true", undefined, { "If-Match": "*" });
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

  test("sets and removes fields of many documents after it has shown what they have now", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByRole("status").getByText("4 documents").waitFor();
    const button = page.getByRole("button", { name: "Edit fields" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    for (const name of ["exact", "n-1", "n-10"]) await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Edit fields of 3 documents" });
    const field = (n: number) => dialog.getByRole("group", { name: `Field ${n}` });
    await field(1).getByRole("combobox", { name: "Field" }).fill("metadata.name");
    await field(1).getByText("The name is part of the identity").waitFor();
    await field(1).getByRole("combobox", { name: "Field" }).fill("spec.size");
    await field(1).getByRole("combobox", { name: "Value" }).fill("12345678901234567890");
    await dialog.getByText("3 of 3 documents would change.").waitFor();
    await dialog.getByRole("button", { name: "Another field" }).click();
    await field(2).getByRole("combobox", { name: "Field" }).fill("spec.fine");
    await field(2).getByRole("checkbox", { name: "Remove" }).check();
    await dialog.getByRole("row", { name: "cluster/exact absent 1.10" }).waitFor();
    await dialog.getByRole("row", { name: "cluster/n-10 0 absent" }).waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.waitFor({ state: "detached" });
    const text = async (name: string) => (await fetch(`${server.url}/v2/clusters/${name}`)).text();
    expect(await text("exact")).toContain('"spec":{"big":12345678901234567890,"text":"yes","size":12345678901234567890}');
    expect(await text("n-10")).toContain('"spec":{"size":12345678901234567890}');
    await server.call("PATCH", "/v2/clusters/n-1", { spec: { size: 2 } }, { "Content-Type": "application/merge-patch+json" });
    await server.call("PATCH", "/v2/clusters/n-10", { spec: { size: 0 } }, { "Content-Type": "application/merge-patch+json" });
    check();
  });

  test("shows the columns that are chosen, and those of fields, and keeps them in the address and under a name", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster&like=n-");
    await page.getByRole("status").getByText("3 of 4 documents").waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    const columns = page.getByRole("dialog", { name: "Columns" });
    await columns.getByRole("checkbox", { name: "Created" }).check();
    await columns.getByRole("checkbox", { name: "Revision" }).uncheck();
    await columns.getByRole("combobox", { name: "Column of a field" }).fill("spec.size");
    await page.keyboard.press("Enter");
    await page.getByRole("columnheader", { name: "spec.size" }).waitFor();
    await checkAccess(page);
    await page.keyboard.press("Escape");
    expect(new URL(page.url()).searchParams.get("columns")).toBe("name,updated,created,spec.size");
    await page.getByRole("columnheader", { name: "spec.size" }).getByRole("button").click();
    await expect.poll(() => names(page)).toEqual(["n-10", "n-2", "n-1"]);
    expect((await saved(page, "CSV")).split("\r\n")[0]).toBe("id,spec.size,revision,updated,created");
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByLabel("Save what is shown as").fill("by size");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "by size" }).waitFor();
    await checkAccess(page);
    await page.goto(`${server.url}/ui/explorer?kind=cluster`);
    await page.getByRole("status").getByText("4 documents").waitFor();
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("link", { name: "by size" }).click();
    await expect.poll(() => names(page)).toEqual(["n-10", "n-2", "n-1"]);
    await page.getByRole("button", { name: "by size" }).click();
    await page.getByRole("button", { name: "Remove by size" }).click();
    await page.getByText("None is saved for this kind.").waitFor();
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

test("a table has no column of who changed its rows where the server does not know that", async () => {
  const { page, check } = await open("/ui/explorer?kind=cluster&wide=true");
  const created = page.getByRole("columnheader", { name: "Created" });
  await created.waitFor();
  const sizes = await created.evaluate((head) => [head, ...head.querySelectorAll("button")].map((part) => getComputedStyle(part).fontSize));
  expect(new Set(sizes).size).toBe(1); // styles of what is loaded later override those of the library
  expect(await page.getByRole("columnheader", { name: "Changed by" }).count()).toBe(0);
  check();
});
