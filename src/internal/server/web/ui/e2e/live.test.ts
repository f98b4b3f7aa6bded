import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const { server, open } = stage(async ({ call }) => {
  for (const name of ["read", "edited", "typed", "removed", "own", "busy"]) await call("POST", "/v2/clusters", { metadata: { name }, spec: { a: 1, b: 1 } });
});

const put = (name: string, spec: object, message?: string) => server.call("PUT", `/v2/clusters/${name}`, { metadata: { name }, spec }, message === undefined ? {} : { "Dovetail-Message": message });

/** Opens a document and waits until the page watches it. */
async function openWatched(name: string, query = "&tab=yaml", look = {}) {
  const opened = await open(`/ui/explorer?id=cluster/${name}${query}`, look);
  await opened.page.locator(".cm-content, fieldset").first().waitFor();
  await settled(opened.page);
  return opened;
}

/** Writes a text over what the editor has. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

describe("while a document is open", () => {
  test("what others change is shown, with who, when and why", { tags: ["journey"] }, async () => {
    const { page, check } = await openWatched("read");
    await put("read", { a: 2, b: 1 }, "two of them");
    const banner = page.getByRole("status").filter({ hasText: "Changed by another user" });
    await banner.getByText(/Changed by another user \d+ sec\. ago: two of them\. The page shows it\./).waitFor();
    await page.locator(".cm-line", { hasText: "a: 2" }).waitFor();
    await checkAccess(page);
    await banner.getByRole("button", { name: "Close" }).click();
    await banner.waitFor({ state: "detached" });
    await put("read", { a: 3, b: 1 });
    await page.locator(".cm-line", { hasText: "a: 3" }).waitFor();
    await banner.waitFor();
    check();
  });

  test("what is written stays, and is merged with what others changed", async () => {
    const { page, check } = await openWatched("edited");
    await write(page, "metadata:\n  name: edited\nspec:\n  a: 5\n  b: 1\n");
    await put("edited", { a: 1, b: 7 });
    const banner = page.getByRole("status").filter({ hasText: "Changed by another user" });
    await banner.getByText("Your input is kept.").waitFor();
    expect(await page.locator(".cm-content").innerText()).toContain("a: 5");
    await checkAccess(page);
    await banner.getByRole("button", { name: "Merge" }).click();
    const dialog = page.getByRole("dialog", { name: "Another user has saved this document" });
    await dialog.getByText("The changes do not conflict.").waitFor();
    await dialog.getByRole("button", { name: "Save the result" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await server.call("GET", "/v2/clusters/edited")).toMatchObject({ spec: { a: 5, b: 7 } });
    expect(await banner.count()).toBe(0);
    check();
  });

  test("what is being typed in a field of the form stays", async () => {
    const { page, check } = await openWatched("typed", "&tab=form");
    const field = page.getByRole("textbox", { name: "description" });
    await field.click();
    await page.keyboard.type("half of a sen");
    await put("typed", { a: 1, b: 9 });
    await page.getByRole("status").filter({ hasText: "Your input is kept." }).waitFor();
    await page.keyboard.type("tence");
    expect(await field.inputValue()).toBe("half of a sentence");
    check();
  });

  test("a deletion is said, and what was shown stays", async () => {
    const { page, check } = await openWatched("removed");
    await server.call("DELETE", "/v2/clusters/removed", undefined, { "If-Match": "*" });
    await page.getByText(/Deleted by another user \d+ sec\. ago\. The page still shows the last version\./).waitFor();
    expect(await page.locator(".cm-content").innerText()).toContain("name: removed");
    check();
  });

  test("a save of its own is not announced", async () => {
    const { page, check } = await openWatched("own");
    await write(page, "metadata:\n  name: own\nspec:\n  a: 2\n");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.waitForTimeout(1_500);
    expect(await page.getByText("Changed by").count()).toBe(0);
    check();
  });

  test("hundreds of changes a second do not hinder who types", async () => {
    const { page, check } = await openWatched("busy");
    const going = new AbortController();
    const changes = (async () => {
      for (let a = 0; !going.signal.aborted; a++) await put("busy", { a, b: 1 }); // oxlint-disable-line no-await-in-loop -- one after the other
    })();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    for (const letter of "# typed meanwhile") await page.keyboard.type(letter, { delay: 20 }); // oxlint-disable-line no-await-in-loop -- as a user types
    await page.getByRole("status").filter({ hasText: "Your input is kept." }).waitFor();
    going.abort();
    await changes;
    expect(await page.locator(".cm-content").innerText()).toContain("# typed meanwhile");
    check();
  });

  test("in Russian and in the dark", async () => {
    const { page, check } = await openWatched("read", "&tab=yaml", { scheme: "dark", locale: "ru" });
    await put("read", { a: 9, b: 1 });
    await page.getByText(/Изменил\(а\) другой пользователь \d+ сек\. назад\. Страница это показывает\./).waitFor();
    await checkAccess(page);
    check();
  });
});
