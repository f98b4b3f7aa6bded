import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
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

test("signing in at the provider leads back to where one was; tokens are in memory; a page that is opened again asks nothing; signing out ends it", async () => {
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
  provider.lifetime = 6;
  const { page, check } = await open("/ui/explorer?kind=cluster", { provider: provider.url });
  await page.getByRole("button", { name: /^Sign in at 127/ }).click();
  await page.getByRole("link", { name: "c1" }).waitFor();
  await expect.poll(() => provider.grants.filter((grant) => grant === "refresh_token").length, { timeout: 60_000 }).toBeGreaterThan(2);
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

test("a token can be typed, too", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/c2&tab=yaml");
  await page.getByLabel("Token", { exact: true }).fill(root);
  await page.getByRole("button", { name: "Sign in with a token" }).click();
  await page.getByRole("heading", { name: "c2", exact: true }).waitFor();
  await page.getByRole("button", { name: "Signed in as root" }).waitFor();
  expect(await page.getByRole("button", { name: "Delete" }).getAttribute("aria-disabled")).toBe(null);
  check();
});
