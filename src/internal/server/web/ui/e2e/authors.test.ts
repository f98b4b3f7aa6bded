import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const users = ["ann", "bob"] as const;
const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const as = (user: string) => ({ Authorization: `Bearer ${tokenOf(user)}` });
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-authors-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const access = join(folder, "access.yaml");
writeFileSync(access, JSON.stringify({
  bindings: [{ role: "editor", users }],
  tokens: users.map((name) => ({ name, groups: [], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
}));

const put = (user: string, memory: string, where = "") => server.call("PUT", `/v2/clusters/shop${where}`, { metadata: { name: "shop" }, spec: { memory } }, as(user));
const { server, open } = stage(() => put("ann", "1Gi"), "--access", access);

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("a document says who changed it last, as it changes and in a change set only of what is not staged: %o", async (look) => {
  const [updated, revision] = "locale" in look ? ["Изменён", "Ревизия"] : ["Updated", "Revision"];
  await put("ann", `${look.scheme} 1`);
  const { page, check } = await open("/ui/nowhere", look);
  await page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf("bob"));
  await page.goto(`${server.url}/ui/explorer?id=cluster/shop`);
  const heading = page.getByText(new RegExp(`^${revision} \\d`));
  const by = (user: string) => heading.filter({ hasText: new RegExp(`${updated} [^·]+, ${user} ·`) });
  await by("ann").waitFor();
  await settled(page);
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual("phone" in look ? 390 : 1400);
  await put("bob", `${look.scheme} 2`);
  await by("bob").waitFor();

  const name = `of-${look.scheme}`;
  await server.call("POST", "/api/change-sets", { name }, as("ann"));
  await page.goto(`${server.url}/ui/explorer?id=cluster/shop&changeSet=${name}`);
  await by("bob").waitFor();
  await put("ann", `${look.scheme} 3`, `?changeSet=${name}`);
  await by("bob").waitFor({ state: "detached" });
  expect(await heading.innerText()).not.toMatch(/ann|bob/);
  check();
});

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("a table says who changed each row last, of many rows by one request, and as it changes: %o", async (look) => {
  const [head, choose] = "locale" in look ? ["Кем изменён", "Столбцы"] : ["Changed by", "Columns"];
  const name = (n: number) => `${look.scheme}-${String(n).padStart(2, "0")}`;
  for (let n = 0; n < 40; n++) await server.call("PUT", `/v2/clusters/${name(n)}`, { metadata: { name: name(n) } }, as(n === 3 ? "bob" : "ann")); // oxlint-disable-line no-await-in-loop -- one after the other
  const { page, check } = await open("/ui/nowhere", look);
  await page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf("bob"));
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/v2/authors")) requests++;
  });
  await page.goto(`${server.url}/ui/explorer?kind=cluster&columns=name,updated&like=${look.scheme}`);
  await page.getByRole("button", { name: choose, exact: true }).click();
  await page.getByRole("checkbox", { name: head }).check();
  await page.keyboard.press("Escape");
  const row = (n: number) => page.getByRole("row").filter({ has: page.getByRole("link", { name: name(n), exact: true }) });
  await row(3).getByRole("cell", { name: "bob", exact: true }).waitFor();
  await row(4).getByRole("cell", { name: "ann", exact: true }).waitFor();
  expect(requests).toBeLessThan(4);
  expect(await page.getByRole("columnheader", { name: head }).getByRole("button").count()).toBe(0); // rows out of view are not known, so that none is sorted by it
  await settled(page);
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual("phone" in look ? 390 : 1400);
  await server.call("PUT", `/v2/clusters/${name(4)}`, { metadata: { name: name(4), description: "again" } }, as("bob"));
  await row(4).getByRole("cell", { name: "bob", exact: true }).waitFor();
  check();
});
