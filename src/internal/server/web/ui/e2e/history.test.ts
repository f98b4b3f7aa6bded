import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seedHistory } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(seedHistory);
const history = "/ui/explorer?id=cluster/shop&tab=history";

interface Transactions {
  items: { position: string; message?: string; changes: { op: string; id: string }[] }[];
}

/** 60 values, of which one stays. */
const values = (n: number) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`value${i}`, i === 7 ? 0 : n]));

/** The position of the latest transaction with a message. */
async function positionOf(message: string): Promise<string> {
  const { items } = (await server.call("GET", "/v2/transactions")) as Transactions;
  return items.find((item) => item.message === message)?.position ?? "";
}

describe("the history of a document", () => {
  test("versions newest first, and the difference of two of them", async () => {
    const { page, check } = await open(history);
    const rows = page.getByRole("list", { name: "Versions of cluster/shop" }).locator(":scope > li");
    await rows.nth(3).waitFor();
    expect(await rows.count()).toBe(4);
    const newest = await rows.nth(0).innerText();
    for (const part of ["updated", "Revision 4", "more memory", "/spec/memory"]) expect(newest).toContain(part);
    expect(await rows.nth(3).innerText()).toContain("created");
    const difference = page.getByRole("region", { name: "Difference" });
    await difference.locator(".cm-changedLine", { hasText: "memory: 4Gi" }).waitFor();
    await checkAccess(page);
    await rows.nth(3).getByRole("radio", { name: /^From: revision 1/ }).check();
    await difference.locator(".cm-changedLine", { hasText: "replicas: 1" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await difference.locator(".cm-changedLine", { hasText: "replicas: 2" }).waitFor();
    const link = page.url();
    expect(link).toContain("before=");
    await page.goto(link);
    await difference.locator(".cm-changedLine", { hasText: "replicas: 2" }).waitFor();
    check();
  });

  test("blame: which version set each line, who made it and why", async () => {
    const { page, check } = await open(history);
    await page.getByRole("radiogroup", { name: "View" }).getByText("Blame").click();
    const blocks = page.getByRole("list", { name: "Which version set each line of cluster/shop" }).getByRole("listitem");
    const of = (line: string) => blocks.filter({ has: page.locator("pre", { hasText: line }) });
    await of("memory: 4Gi").getByText("more memory").waitFor();
    for (const [line, revision] of [["memory: 4Gi", 4], ["replicas: 3", 3], ["tier: prod", 3], ["name: shop", 1]] as const) {
      expect(await of(line).getByRole("link").allTextContents()).toEqual([`Revision ${revision}`]);
    }
    expect(await of("name: shop").innerText()).toContain("the shop opens");
    await checkAccess(page);
    expect(page.url()).toContain("view=blame");
    await page.reload();
    await of("replicas: 3").getByRole("link").click();
    await page.getByRole("listitem", { name: /^revision 3,/ }).getByRole("radio", { name: /^To: revision 3/, checked: true }).waitFor();
    check();
  });

  test("blame of a version that changed more than the history lists", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "wide" }, spec: values(1) });
    await server.call("PUT", "/v2/clusters/wide", { metadata: { name: "wide" }, spec: values(2) });
    const { page, check } = await open("/ui/explorer?id=cluster/wide&tab=history&view=blame");
    const blocks = page.getByRole("list", { name: "Which version set each line of cluster/wide" }).getByRole("listitem");
    await blocks.nth(3).waitFor();
    expect(await blocks.getByRole("link").allTextContents()).toEqual(["Revision 1", "Revision 2", "Revision 1", "Revision 2"]);
    expect(await blocks.nth(2).locator("pre").last().innerText()).toContain("value7: 0");
    check();
  });

  test("a version is restored: what would change, a message, and then it is so", { tags: ["journey"] }, async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "back" }, spec: { a: 1 } });
    await server.call("PUT", "/v2/clusters/back", { metadata: { name: "back" }, spec: { a: 2 } });
    const { page, check } = await open("/ui/explorer?id=cluster/back&tab=history");
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    const dialog = page.getByRole("dialog", { name: "Restore revision 1 of back?" });
    await dialog.getByText("would be updated").waitFor();
    await dialog.locator(".cm-changedLine", { hasText: "a: 1" }).waitFor();
    await checkAccess(page);
    expect(await server.call("GET", "/v2/clusters/back")).toMatchObject({ spec: { a: 2 } });
    await dialog.getByLabel("Message").fill("вернуть, как было");
    await dialog.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText("Restored.").waitFor();
    await page.getByRole("listitem", { name: /^revision 3,/ }).getByText("вернуть, как было").waitFor();
    expect(await server.call("GET", "/v2/clusters/back")).toMatchObject({ spec: { a: 1 } });
    check();
  });

  test("a deleted document is reached by its address, and restored", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "gone" }, spec: { a: 1 } });
    await server.call("DELETE", "/v2/clusters/gone", undefined, { "Dovetail-Message": "clean up" });
    const { page, check } = await open("/ui/explorer?id=cluster/gone&tab=yaml");
    await page.getByText("This document does not exist").waitFor();
    await page.getByRole("listitem", { name: /^revision 1 deleted/ }).getByText("clean up").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    await page.getByRole("dialog").getByText("would be created").waitFor();
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.getByRole("heading", { name: "gone", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/clusters/gone")).toMatchObject({ spec: { a: 1 } });
    check();
  });

  test("a restoration that is refused says what is missing", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "parent" } });
    await server.call("POST", "/v2/clusters/parent/environments", { metadata: { name: "child" } });
    await server.call("DELETE", "/v2/clusters/parent?cascade=true");
    const { page, check } = await open("/ui/explorer?id=cluster/parent/environment/child&tab=yaml");
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Missing documents").waitFor();
    await dialog.getByRole("link", { name: "cluster/parent", exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Restore this version" }).isDisabled()).toBe(true);
    await checkAccess(page);
    check();
  });

  test("the message of a save is in the history", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "said" } });
    const { page, check } = await open("/ui/explorer?id=cluster/said&tab=yaml");
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("spec:\n  a: 1\n");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("dialog").getByLabel("Message").fill("add a");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("listitem", { name: /^revision 2,/ }).getByText("add a").waitFor();
    check();
  });

  test.each([
    { name: "a database without history", status: 410, detail: "this database keeps no earlier versions of documents" },
    { name: "no rights", status: 403, detail: "you may not read it" },
  ])("$name", async ({ status, detail }) => {
    const { page, check } = await open("/ui/nowhere");
    await page.route(/view=history|v2\/transactions/, (route) =>
      route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify({ type: "about:blank", title: "", status, code: "refused", detail }) }));
    for (const path of [history, "/ui/activity"]) {
      await page.goto(server.url + path);
      await page.getByRole("alert").getByText(detail).waitFor();
      await checkAccess(page);
    }
    check();
  });
});

describe("revert", () => {
  test("a transaction of several documents is undone, in words what would happen first", async () => {
    const { page, check } = await open("/ui/activity?under=cluster/shop");
    const row = page.getByRole("list", { name: "Transactions" }).getByRole("listitem").filter({ hasText: "two environments" }).first();
    await row.getByRole("button", { name: "Revert transaction" }).click();
    const dialog = page.getByRole("dialog", { name: "Revert this transaction?" });
    expect(await dialog.getByText("would be deleted").nth(1).textContent()).toContain("would be deleted");
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Revert", exact: true }).click();
    await page.getByText("Reverted.").waitFor();
    await expect(server.call("GET", "/v2/clusters/shop/environments/dev")).rejects.toThrow("404");
    await page.getByRole("list", { name: "Transactions" }).getByText("Revert", { exact: false }).first().waitFor();
    check();
  });

  test("values that were changed since are named, and nothing is done", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "since" }, spec: { a: 1 } });
    await server.call("PUT", "/v2/clusters/since", { metadata: { name: "since" }, spec: { a: 2 } }, { "Dovetail-Message": "second" });
    await server.call("PUT", "/v2/clusters/since", { metadata: { name: "since" }, spec: { a: 3 } });
    const { page, check } = await open("/ui/explorer?id=cluster/since&tab=history");
    await page.getByRole("listitem", { name: /^revision 2,/ }).getByRole("button", { name: "Revert transaction" }).click();
    const alert = page.getByRole("dialog").getByRole("alert");
    await alert.getByText("These values were changed after the transaction").waitFor();
    await alert.getByText("/spec/a", { exact: true }).waitFor();
    await alert.getByText("is 3 now").waitFor();
    expect(await page.getByRole("button", { name: "Revert", exact: true }).isDisabled()).toBe(true);
    await checkAccess(page);
    check();
  });

  test("what depends on a document that would be deleted is named", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "held" } });
    await server.call("POST", "/v2/clusters/held/environments", { metadata: { name: "inner" } });
    const { page, check } = await open("/ui/explorer?id=cluster/held&tab=history");
    await page.getByRole("button", { name: "Revert transaction" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 document depends on it:").waitFor();
    await dialog.getByRole("link", { name: "cluster/held/environment/inner" }).waitFor();
    await checkAccess(page);
    check();
  });
});

describe("the activity", () => {
  test("filters go to the address, and changes lead to the history of their documents", async () => {
    const { page, check } = await open("/ui/activity");
    await page.getByRole("navigation").getByRole("link", { name: "Activity" }).waitFor();
    await page.getByLabel("Below").fill("cluster/shop");
    await page.getByLabel("Kind", { exact: true }).selectOption("environment");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.waitForURL("**/ui/activity?under=cluster/shop&kind=environment");
    const list = page.getByRole("list", { name: "Transactions" });
    await list.getByText("two environments").first().waitFor();
    await list.getByRole("link", { name: "cluster/shop/environment/dev" }).last().click();
    await page.getByRole("list", { name: "Versions of cluster/shop/environment/dev" }).waitFor();
    expect(new URL(page.url()).searchParams.get("at")).toBe(await positionOf("two environments"));
    await page.goto(`${server.url}/ui/activity?from=2999-01-01T00:00:00.000Z`);
    await page.getByText("No matches.").waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await list.waitFor();
    check();
  });

  test("on a phone the filters give way to what they find", async () => {
    const { page, check } = await open("/ui/activity", { phone: true });
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByLabel("Below").fill("cluster/shop");
    await page.getByLabel("Below").press("Enter");
    const button = page.getByRole("button", { name: "Filters: 1 active", exact: true });
    await button.waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("false");
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByLabel("Below").isVisible()).toBe(false);
    check();
  });

  test("older transactions come page by page", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "often" } });
    for (let n = 0; n < 60; n++) await server.call("POST", "/v2/clusters/often/environments", { metadata: { name: `env-${n}` } });
    const { page, check } = await open("/ui/activity?under=cluster/often");
    const rows = page.getByRole("list", { name: "Transactions" }).locator(":scope > li");
    await rows.nth(49).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Load more" }).click();
    await rows.nth(59).waitFor();
    expect(await rows.count()).toBe(60);
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en" },
    { name: "dark, Russian", scheme: "dark", locale: "ru" },
  ] as const)("accessible: $name, also in a narrow window", async ({ scheme, locale }) => {
    for (const path of ["/ui/activity", history, `${history}&view=blame`]) {
      const { page, check } = await open(path, { scheme, locale });
      await page.getByRole("list", { name: /^(Transactions|Транзакции|Versions|Версии|Which|Какая)/ }).waitFor();
      await settled(page);
      await checkAccess(page);
      await page.setViewportSize({ width: 420, height: 900 });
      await checkAccess(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
      check();
    }
  });
});

/** A credential with a password. */
const body = (password: string) => ({ metadata: { name: "gone" }, spec: { type: "usernamePassword", data: { username: "u", password } } });

test("the secrets of a document that was deleted are dots in its history until they are asked for", async () => {
  await server.call("POST", "/v2/credentials", body("hunter2"));
  await server.call("PUT", "/v2/credentials/gone", body("swordfish"));
  await server.call("DELETE", "/v2/credentials/gone");
  const { page, check } = await open("/ui/explorer?id=credential/gone&tab=yaml");
  await page.getByText("Secret values are hidden.").waitFor();
  const difference = page.getByRole("region", { name: "Difference" });
  await difference.getByText("••••••••").first().waitFor();
  expect(await page.content()).not.toMatch(/hunter2|swordfish/);
  await page.getByRole("button", { name: "Reveal" }).click();
  await difference.getByText("swordfish").first().waitFor();
  await checkAccess(page);
  check();
});
