import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const { server, open } = stage(async ({ call }) => {
  for (const name of ["shared", "hidden", "edited"]) await call("POST", "/v2/clusters", { metadata: { name }, spec: { a: 1 } });
});

const put = (name: string, a: number) => server.call("PUT", `/v2/clusters/${name}`, { metadata: { name }, spec: { a } });
const line = (page: Page, text: string) => page.locator(".cm-line", { hasText: text });

/** Has a window look as if it were behind others, or in front again. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden ? "hidden" : "visible");
}

describe("a page that is open all day", () => {
  test("one of ten windows beside each other works, and each follows what others change", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/shared&tab=yaml");
    await line(page, "a: 1").waitFor();
    const windows = [page];
    for (let i = 1; i < 10; i++) {
      const next = await page.context().newPage(); // oxlint-disable-line no-await-in-loop -- one after the other
      await next.goto(`${server.url}/ui/${i % 3 === 0 ? "explorer?kind=cluster" : i % 3 === 1 ? "change-sets" : "explorer?id=cluster/shared&tab=yaml"}`); // oxlint-disable-line no-await-in-loop -- one after the other
      await next.getByRole("heading").first().waitFor(); // oxlint-disable-line no-await-in-loop -- browsers keep six connections to a server
      windows.push(next);
    }
    await line(windows[8] ?? page, "a: 1").waitFor();
    await settled(page);
    await put("shared", 2);
    await Promise.all(windows.filter((one) => one.url().includes("id=")).map((one) => line(one, "a: 2").waitFor()));
    check();
  });

  test("says who changed a document while nobody looked", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/hidden&tab=yaml");
    await line(page, "a: 1").waitFor();
    await settled(page);
    await hide(page, true);
    await put("hidden", 2);
    await page.waitForTimeout(1_500);
    expect(await line(page, "a: 1").count()).toBe(1);
    await hide(page, false);
    await line(page, "a: 2").waitFor();
    await page.getByRole("status").filter({ hasText: "Changed by another user" }).waitFor();
    check();
  });

  test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("keeps what is edited while the server restarts, says that it does not answer, and goes on: %o", async (look) => {
    await put("edited", 1);
    const { page, check } = await open("/ui/explorer?id=cluster/edited&tab=yaml", look);
    await line(page, "a: 1").click();
    await settled(page);
    await page.keyboard.press("End");
    await page.keyboard.type("5");
    await settled(page);
    const note = page.getByText(look.locale === "ru" ? "Сервер не отвечает." : "The server does not answer.");
    await server.kill();
    await note.waitFor();
    await checkAccess(page);
    await page.keyboard.type("7");
    await line(page, "a: 157").waitFor();
    await server.resume();
    await note.waitFor({ state: "detached" });
    await put("edited", 2);
    await page.getByRole("status").filter({ hasText: look.locale === "ru" ? "Изменил" : "Changed by another user" }).waitFor();
    await line(page, "a: 157").waitFor();
    check();
  });
});
