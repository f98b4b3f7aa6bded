import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled, type Look } from "./browser";
import { startProvider } from "./provider";
import { stage } from "./stage";

const provider = await startProvider();
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-login-"));
const root = `dovetail_${"a".repeat(43)}`;
const access = join(folder, "access.yaml");
writeFileSync(
  access,
  `roles:
- {name: reader-of-clusters, rules: [{kinds: [cluster], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: reader-of-clusters, users: ["oidc:ann"]}
- {role: editor, users: ["oidc:eve", "oidc:bob"]}
tokens:
- {name: root, sha256: ${createHash("sha256").update(root).digest("hex")}}
`,
);
afterAll(() => {
  provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

const { open } = stage(
  async ({ call }) => {
    for (const name of ["c1", "c2"]) await call("POST", "/v2/clusters", { metadata: { name } }, { Authorization: `Bearer ${root}` });
  },
  "--access", access, "--oidc-issuer", provider.url, "--oidc-audience", "dovetail-ui", "--oidc-client-id", "dovetail-ui",
);

test("signing in at the provider leads back to where one was; tokens are in memory; a page that is opened again asks nothing; signing out ends it", { tags: ["journey"] }, async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/c1&tab=yaml", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).waitFor();
  await settled(page);
  await checkAccess(page);
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  await page.getByRole("link", { name: "I am Ann" }).click();
  await page.getByRole("heading", { name: "c1", exact: true }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/ui/explorer?id=cluster/c1&tab=yaml");
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect(kept).not.toMatch(/eyJ|opaque|again/);

  const user = page.getByRole("button", { name: "Signed in as oidc:ann" });
  await user.click();
  await page.getByText("Groups: oidc:readers").waitFor();
  await settled(page);
  await checkAccess(page);
  await page.keyboard.press("Escape");

  await page.reload();
  await page.getByRole("heading", { name: "c1", exact: true }).waitFor();
  await user.click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: /^Sign in at 127/ }).waitFor();
  expect(provider.session).toBe(false);
  await page.reload();
  await page.getByRole("button", { name: /^Sign in at 127/ }).waitFor();
  check();
});

test("what one may not do is disabled, with the reason", async () => {
  provider.session = true;
  const { page, check } = await open("/ui/explorer?id=cluster/c1&tab=yaml", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  const remove = page.getByRole("button", { name: "Delete" });
  await expect.poll(() => remove.getAttribute("aria-description")).toBe("You may not delete this document.");
  expect(await page.getByRole("button", { name: "Review changes" }).getAttribute("aria-description")).toBe("You may not change this document.");
  await page.getByRole("button", { name: "New" }).last().click();
  const child = page.getByRole("menuitem", { name: "New environment" });
  expect(await child.isDisabled()).toBe(true);
  expect(await child.innerText()).toContain("You may not create these documents.");
  await page.keyboard.press("Escape");
  await settled(page);
  await checkAccess(page);
  check();
});

test("in tables, too", async () => {
  provider.session = true;
  const { page, check } = await open("/ui/explorer?kind=cluster", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  const tools = page.getByRole("toolbar", { name: "Actions for the selected rows" });
  await expect.poll(() => tools.getByRole("button", { name: "Delete" }).getAttribute("aria-description")).toBe("You may not delete documents of this kind.");
  expect(await tools.getByRole("button", { name: "Label" }).getAttribute("aria-description")).toBe("You may not change documents of this kind.");
  check();
});

test("there is no way to pages of which one may read nothing", async () => {
  provider.session = true;
  const { page, check } = await open("/ui/explorer?id=cluster/c1&tab=yaml", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  const navigation = page.getByRole("navigation", { name: "Main" });
  await expect.poll(() => navigation.getByRole("link").allInnerTexts()).toEqual(["Home", "Explorer", "Activity", "Schema", "System"]);
  const kinds = page.getByRole("navigation", { name: "Kinds" });
  await expect.poll(() => kinds.getByRole("link").allInnerTexts()).toEqual([expect.stringMatching(/^cluster\s*2$/)]);
  check();
});

test("a token is renewed before it ends, and nobody is asked", async () => {
  provider.session = true;
  provider.lifetime = 20; // seconds; half of them is left when it is renewed
  const { page, check } = await open("/ui/explorer?kind=cluster", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  await page.getByRole("link", { name: "c1" }).waitFor();
  await expect.poll(() => provider.grants.filter((grant) => grant === "refresh_token").length).toBeGreaterThan(2);
  await page.getByRole("link", { name: "c1" }).click();
  await page.getByRole("heading", { name: "c1", exact: true }).waitFor();
  provider.lifetime = 3_600;
  check();
});

test("a provider that has ended the session has the page ask, in place of an error; an answer to another login is refused", async () => {
  provider.session = false;
  const { page, check } = await open("/ui/login?code=stolen&state=other", { provider: provider.url, locale: "ru" });
  await page.getByRole("alert").getByText("the answer is to another login").waitFor();
  await page.evaluate(() => localStorage.setItem("dovetail-signed-in", "true"));
  await page.reload();
  await page.getByRole("button", { name: /^Войти через 127/ }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await settled(page);
  await checkAccess(page);
  check();
});

/** Signs in at the provider as eve, who writes; then the session ends, which the page says. */
async function endedSession(look: Look = {}) {
  Object.assign(provider, { session: true, lifetime: 8, renews: false, user: "eve" });
  const opened = await open("/ui/explorer?id=cluster/c2&tab=yaml", { provider: provider.url, ...look });
  const { page } = opened;
  const ru = look.locale === "ru";
  await page.getByRole("button", { name: ru ? /^Войти через 127/ : /^Sign in at 127/ }).click();
  await page.locator(".cm-content[aria-readonly=false]").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("# typed before it ended");
  const dialog = page.getByRole("dialog", { name: ru ? "Сеанс завершён" : "Your session has ended" });
  await dialog.waitFor();
  Object.assign(provider, { session: false, lifetime: 3_600 });
  const again = dialog.getByRole("button", { name: ru ? /^Войти через 127/ : /^Sign in at 127/ });
  const openWindow = async (): Promise<Page> => {
    const opening = page.waitForEvent("popup");
    await again.click();
    return opening;
  };
  return { ...opened, dialog, openWindow, typed: page.locator(".cm-content", { hasText: "# typed before it ended" }) };
}

test.each([{}, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("one signs in again at the provider in a window of its own, and the page keeps what was typed: %o", async (look) => {
  const { page, check, dialog, openWindow, typed } = await endedSession(look);
  const first = await openWindow();
  await first.getByRole("link", { name: "I am Ann" }).waitFor();
  await first.close(); // as one who thought better of it
  const second = await openWindow();
  await dialog.getByRole("status").waitFor();
  await settled(page);
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual("phone" in look ? 390 : 1400);
  await second.getByRole("link", { name: "I am Ann" }).click();
  await dialog.waitFor({ state: "detached" });
  await typed.waitFor();
  await expect.poll(() => second.isClosed()).toBe(true);
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toMatch(/eyJ|opaque|again/);
  check();
});

test("as another user one starts over", async () => {
  const { page, openWindow, typed } = await endedSession();
  provider.user = "bob";
  await (await openWindow()).getByRole("link", { name: "I am Ann" }).click();
  await page.getByRole("button", { name: "Signed in as oidc:bob" }).waitFor();
  expect(await typed.count()).toBe(0);
});

test("a refusal of the provider is shown on the page", async () => {
  const { dialog, openWindow } = await endedSession();
  const opened = await openWindow();
  await opened.getByRole("link", { name: "I am Ann" }).waitFor();
  const back = new URL(opened.url()).searchParams;
  await opened.goto(`${back.get("redirect_uri")}?${new URLSearchParams({ error: "access_denied", error_description: "not you", state: back.get("state") ?? "" })}`).catch(() => undefined); // it is closed by that
  await dialog.getByRole("alert").getByText("not you").waitFor();
});

test("where the browser opens no window, one signs in on the page, which keeps what was typed; a token can be typed, too", async () => {
  const { page, check, dialog, typed } = await endedSession();
  await page.evaluate(() => {
    window.open = () => null;
  });
  await dialog.getByRole("button", { name: /^Sign in at 127/ }).click();
  await dialog.getByRole("alert").getByText("Allow pop-ups for this page").waitFor();
  await checkAccess(page);
  provider.session = true;
  await dialog.getByRole("button", { name: "Sign in on this page" }).click();
  await page.getByRole("button", { name: "Signed in as oidc:eve" }).waitFor();
  await typed.waitFor();
  check();

  const other = await endedSession();
  await other.dialog.getByLabel("Token", { exact: true }).fill(root);
  await other.dialog.getByRole("button", { name: "Sign in with a token" }).click();
  await other.page.getByRole("button", { name: "Signed in as root" }).waitFor();
});

test("a token can be typed, too", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/c2&tab=yaml");
  await page.getByLabel("Token", { exact: true }).fill(root);
  await page.getByRole("button", { name: "Sign in with a token" }).click();
  await page.getByRole("heading", { name: "c2", exact: true }).waitFor();
  await page.getByRole("button", { name: "Signed in as root" }).waitFor();
  expect(await page.getByRole("button", { name: "Delete" }).getAttribute("aria-disabled")).toBe(null);
  check();
});
