import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-audit-"));
const tokens = { root: `dovetail_${"r".repeat(43)}`, ann: `dovetail_${"a".repeat(43)}` };
const access = join(folder, "access.yaml");
writeFileSync(
  access,
  `roles:
- {name: of-clusters, rules: [{kinds: [cluster], verbs: [read, create]}]}
bindings:
- {role: editor, users: [root]}
- {role: of-clusters, users: [ann]}
tokens:
${Object.entries(tokens).map(([name, token]) => `- {name: ${name}, sha256: ${createHash("sha256").update(token).digest("hex")}}\n`).join("")}`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const as = (name: keyof typeof tokens) => ({ Authorization: `Bearer ${tokens[name]}` });

const { server, open } = stage(async ({ call }) => {
  for (const name of ["c1", "c2"]) await call("POST", "/v2/clusters", { metadata: { name } }, as("root"));
  await call("POST", "/v2/clusters", { metadata: { name: "c3" } }, as("ann"));
  await call("POST", "/v2/credentials", { metadata: { name: "robot" }, spec: { type: "usernamePassword", data: { username: "reader", password: "swordfish" } } }, as("root"));
  await call("DELETE", "/v2/clusters/c2", undefined, { ...as("root"), "If-Match": "*" });
  await call("DELETE", "/v2/clusters/c1", undefined, { ...as("ann"), "If-Match": "*" }).catch(() => undefined); // which she may not
}, "--access", access, "--audit", "keep");

/** Opens a page as one who has signed in with a token. */
async function signIn(path: string, name: keyof typeof tokens, look = {}) {
  const { page, check } = await open(path, look);
  await page.getByLabel(/^Token|^Токен/).fill(tokens[name]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, check };
}

const table = (page: Page) => page.getByRole("table", { name: "Audit records" });

describe("audit", () => {
  test("who did what, newest first, and only what one asks for", async () => {
    const { page, check } = await signIn("/ui/", "root");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" }).click();
    await table(page).getByRole("row", { name: /ann.*refused.*cluster\/c1/ }).waitFor();
    const rows = await table(page).getByRole("row").allInnerTexts();
    expect(rows[1]).toMatch(/ann[\s\S]*refused[\s\S]*cluster\/c1/);
    expect(rows[2]).toMatch(/root[\s\S]*deleted[\s\S]*cluster\/c2/);
    expect(rows.at(-1)).toMatch(/root[\s\S]*created[\s\S]*cluster\/c1/);
    await checkAccess(page);
    // with the keyboard alone
    await page.getByLabel("User", { exact: true }).focus();
    await page.keyboard.type("ann");
    await page.keyboard.press("Enter");
    await page.getByText("2 records", { exact: true }).waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("created");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByText("1 record", { exact: true }).waitFor();
    await table(page).getByRole("link", { name: "cluster/c3" }).waitFor();
    expect(new URL(page.url()).search).toBe("?principal=ann&action=created");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Kind", { exact: true }).selectOption("credential");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByText("1 record", { exact: true }).waitFor();
    await page.getByLabel("Until").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByText("No records.").waitFor();
    check();
  });

  test("a secret is dots, its Reveal is recorded, and it is dots again after 30 seconds", async () => {
    const { page, check } = await signIn("/ui/explorer?id=credential/robot&tab=yaml", "root");
    await page.getByText("Secret values are hidden.").waitFor();
    expect(await page.content()).not.toContain("swordfish");
    await page.clock.install();
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByText("swordfish").first().waitFor();
    await page.clock.fastForward(29_000);
    expect(await page.getByText("swordfish").count()).toBeGreaterThan(0);
    await page.clock.fastForward(2_000);
    await page.getByText("Secret values are hidden.").waitFor();
    expect(await page.content()).not.toContain("swordfish");
    const other = await signIn("/ui/audit?action=reveal", "root");
    await table(other.page).getByRole("row", { name: /root.*secrets revealed.*credential\/robot/ }).waitFor();
    await other.page.getByText("1 record", { exact: true }).waitFor();
    check();
  });

  test("of many the newest come first, and the others on request", async () => {
    await Promise.all(Array.from({ length: 250 }, (_, i) => server.call("PUT", `/v2/clusters/many-${i}`, { metadata: { name: `many-${i}` } }, as("root"))));
    await server.call("POST", "/v2/clusters", { metadata: { name: "newest" } }, as("root"));
    const { page, check } = await signIn("/ui/audit?kind=cluster&from=2020-01-01T00:00:00Z", "root");
    await page.getByText("The newest 200 records", { exact: true }).waitFor();
    const rows = table(page).getByRole("row");
    expect(await rows.nth(1).innerText()).toContain("cluster/newest");
    expect(await rows.count()).toBe(201);
    expect(await table(page).getByRole("link", { name: "cluster/c1", exact: true }).count()).toBe(0);
    await settled(page);
    await checkAccess(page);
    await page.getByRole("button", { name: "Load more" }).press("Enter");
    await table(page).getByRole("row", { name: /root.*created.*cluster\/c1/ }).waitFor();
    const times = await table(page).locator("time").evaluateAll((all) => all.map((one) => Date.parse(one.getAttribute("datetime") ?? "")));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(times.length).toBeGreaterThan(251);
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
    check();
  });

  test("who may not read everything has no such page, and its address says why", async () => {
    const { page, check } = await signIn("/ui/explorer?kind=cluster", "ann");
    await settled(page);
    expect(await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" }).count()).toBe(0);
    await page.goto(`${server.url}/ui/audit`);
    await page.getByRole("alert").getByText("ann may not see who did what").waitFor();
    await checkAccess(page);
    check();
  });

  test.each([
    { name: "light, Russian, phone", look: { scheme: "light", locale: "ru", phone: true } },
    { name: "dark, English", look: { scheme: "dark", locale: "en" } },
  ] as const)("accessible: $name", async ({ look }) => {
    const { page, check } = await signIn("/ui/audit", "root", look);
    await page.getByRole("table").waitFor();
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual("phone" in look ? 390 : 1400);
    check();
  });
});
