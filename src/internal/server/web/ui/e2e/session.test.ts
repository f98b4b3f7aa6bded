import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const folder = mkdtempSync(join(tmpdir(), "dovetail-session-"));
const access = join(folder, "access.yaml");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Has the server know these users from now on. */
function allow(...users: string[]): void {
  writeFileSync(`${access}.new`, JSON.stringify({
    bindings: [{ role: "editor", users: ["ann", "bob"] }],
    tokens: users.map((name) => ({ name, sha256: createHash("sha256").update(tokenOf(name)).digest("hex") })),
  }));
  renameSync(`${access}.new`, access);
}

allow("ann", "bob");
const { server, open } = stage(
  ({ call }) => call("PUT", "/v2/credentials/robot", { metadata: { name: "robot" }, spec: { type: "secret", data: { secret: "old" } } }, { Authorization: `Bearer ${tokenOf("ann")}` }),
  "--access", access,
);

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("a session that ends leaves what was typed, secrets too, and says so, accessibly: %o", async (look) => {
  const ru = "locale" in look;
  allow("ann", "bob");
  const { page, check } = await open("/ui/nowhere", look);
  await page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf("ann"));
  await page.goto(`${server.url}/ui/explorer?id=credential/robot&tab=yaml`);
  await page.getByRole("button", { name: ru ? "Показать" : "Reveal" }).click();
  await page.locator(".cm-content[aria-readonly=false]").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("# typed before it ended");
  await page.getByText(ru ? "изменён" : "edited", { exact: true }).waitFor();

  allow("bob"); // what people do not expect
  const dialog = page.getByRole("dialog", { name: ru ? "Сеанс завершён" : "Your session has ended" });
  await dialog.waitFor();
  await settled(page);
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(ru ? 390 : 1400);
  const token = dialog.getByLabel(ru ? "Токен" : "Token", { exact: true });
  await token.fill("nonsense");
  await token.press("Enter");
  await dialog.getByRole("alert").getByText(ru ? "Сервер не принимает этот токен." : "The server does not accept the token.").waitFor();
  await page.keyboard.press("Escape"); // it stays until it has its answer
  await checkAccess(page);

  allow("ann", "bob");
  await expect.poll(async () => (await fetch(`${server.url}/v2/access`, { headers: { Authorization: `Bearer ${tokenOf("ann")}` } })).status).toBe(200);
  await token.fill(tokenOf("ann"));
  await token.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.locator(".cm-content", { hasText: "# typed before it ended" }).waitFor();
  check();
});

test("another user starts over", async () => {
  allow("ann", "bob");
  const { page } = await open("/ui/nowhere");
  await page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf("ann"));
  await page.goto(`${server.url}/ui/explorer?kind=credential`);
  await page.getByRole("link", { name: "robot" }).waitFor();
  await page.evaluate(() => sessionStorage.setItem("dovetail-input mine", "{}"));
  allow("bob");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.waitFor();
  await dialog.getByLabel("Token", { exact: true }).fill(tokenOf("bob"));
  await dialog.getByRole("button", { name: "Sign in with a token" }).click();
  await page.getByRole("button", { name: "Signed in as bob" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem("dovetail-input mine"))).toBe(null);
});
