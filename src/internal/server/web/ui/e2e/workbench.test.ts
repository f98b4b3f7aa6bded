import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { repository } from "./server";
import { stage } from "./stage";

/** EnvGene's example environment with its SBOMs, in Git, so that its effective sets are calculated. */
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-workbench-"));
const clone = join(folder, "clone");
const remote = join(folder, "remote.git");
const git = (...args: string[]) => execFileSync("git", ["-C", clone, "-c", "user.name=Other", "-c", "user.email=other@example.com", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

cpSync(`${repository}/src/override/effectiveset/testdata/pl-01/repo`, clone, { recursive: true });
git("init", "-q", "-b", "main");
git("add", "-A");
git("commit", "-qm", "first");
execFileSync("git", ["clone", "-q", "--bare", clone, remote]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { server, open: openPath } = stage(undefined, "--instance-repo", remote, "--instance-repo-clone", join(folder, "server.git"), "--instance-repo-interval", "1h");
const place = "?cluster=cluster-01&environment=pl-01";
const pg = `${place}&level=namespace&namespace=pl-01-pg`;
const open = (query: string, look = {}) => openPath(`/ui/overrides${query}`, look);
const api = "/api/ui-override?environmentId=cluster-01/pl-01&context=deploy&namespaceName=pl-01-pg";

const tree = (page: Page) => page.getByRole("navigation", { name: "Environment, namespaces and applications" });
const effective = (page: Page) => page.getByRole("table", { name: "Effective set" });
const side = (page: Page, name: string) => page.getByRole("radiogroup", { name: "Beside the override" }).getByText(name, { exact: true }).click();

async function add(page: Page, name: string, value: string) {
  await page.getByLabel("Name of a new parameter").fill(name);
  await page.getByLabel("Its value").fill(value);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("textbox", { name: `Value of ${name}`, exact: true }).waitFor();
}

afterEach(() => server.call("DELETE", api, undefined, { "If-Match": "*" }).catch(() => undefined));

describe("the workbench of overrides", () => {
  test("the tree shows what is overridden where, and leads there with the keyboard", async () => {
    await server.call("POST", api, { parameters: { A: 1, db: { host: "x", port: 2 } } });
    const { page, check } = await open(place);
    await tree(page).getByTitle("Deployment: 3 values are overridden").waitFor();
    await tree(page).getByRole("link", { name: "pl-01-pg" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("These parameters are overridden here.").waitFor();
    expect(new URL(page.url()).search).toBe("?cluster=cluster-01&environment=pl-01&level=namespace&namespace=pl-01-pg");
    expect(await tree(page).getByRole("link", { name: "pl-01-pg" }).getAttribute("aria-current")).not.toBeNull();
    expect(await tree(page).getByRole("link", { name: "pl-01", exact: true }).getAttribute("aria-current")).toBeNull();
    await page.getByRole("button", { name: "Applications of pl-01-pg" }).press("Enter");
    expect(await tree(page).getByRole("link", { name: "postgres" }).count()).toBe(0);
    await page.getByRole("button", { name: "Applications of pl-01-pg" }).press("Enter");
    await tree(page).getByRole("link", { name: "postgres" }).click();
    await page.getByText("Nothing is overridden here yet.").waitFor();
    await settled(page);
    await checkAccess(page);
    check();
  });

  test("a draft is calculated: its result, what it would be without, its macros, and who is affected before it is saved", async () => {
    const { page, check } = await open(`${pg}&application=postgres`);
    await page.getByText("What is to be is calculated with the overrides.").waitFor();
    await add(page, "GREETING", "hello ${NAMESPACE}");
    await effective(page).getByRole("row", { name: /^GREETING\s+hello pl-01-pg/ }).waitFor();
    const parameters = page.getByRole("table", { name: "Parameters" });
    await parameters.getByRole("row", { name: /GREETING/ }).getByText("not set").waitFor();
    await page.getByRole("textbox", { name: "Value of GREETING" }).hover();
    await page.getByRole("tooltip").getByText("= hello pl-01-pg").waitFor();
    await page.mouse.move(0, 0);
    await page.getByTitle("Where GREETING comes from").hover();
    await page.getByRole("tooltip").getByText(/NAMESPACE/).waitFor();
    await page.getByText(/^\d+ values change, in \d+ place/).waitFor();
    await side(page, "Who is affected");
    const affected = page.getByRole("region", { name: "Who is affected" });
    await affected.getByText(/^Namespace pl-01-pg: \d+ applications/).waitFor();
    const group = affected.locator("details", { has: page.locator("summary", { hasText: "pg/postgres" }) });
    await group.locator("summary").click();
    await group.getByText("/GREETING").first().waitFor();
    await group.getByText("hello pl-01-pg").first().waitFor();
    await checkAccess(page);
    await side(page, "Result");
    await page.getByTitle("Where GREETING comes from").click();
    await page.getByRole("region", { name: "Where the value comes from" }).getByRole("list", { name: "What its macros stand for" }).getByText("NAMESPACE").first().waitFor();
    await checkAccess(page);
    await expect(server.call("GET", api)).rejects.toThrow("NO_PARAMSET");
    check();
  });

  test("a save says in which commit it is, and leads to its history", async () => {
    const { page, check } = await open(pg);
    await add(page, "MADE", "1");
    await page.getByLabel("Comment").fill("as a commit");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    git("pull", "-q", remote, "main");
    const head = git("rev-parse", "HEAD").trim();
    expect(git("log", "-1", "--format=%s").trim()).toBe("as a commit");
    await page.getByTitle(head).getByText(head.slice(0, 10)).first().waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: `Copy the hash of ${head.slice(0, 10)}` }).first().click(); // no Git host is known that shows it
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(head);
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("heading", { name: "pg-deploy-ui-override" }).waitFor();
    check();
  });

  test("another user saved first: each value that both changed is chosen", async () => {
    const { version } = (await server.call("POST", api, { parameters: { A: "old", B: "old" } })) as { version: string };
    const { page, check } = await open(pg);
    for (const name of ["A", "B"]) {
      await page.getByRole("textbox", { name: `Value of ${name}`, exact: true }).fill("mine");
      await page.keyboard.press("Enter");
    }
    await server.call("PUT", api, { parameters: { A: "theirs", B: "theirs" } }, { "If-Match": `"${version}"` });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("2 values were changed by both.").waitFor();
    await checkAccess(page);
    await page.getByRole("row", { name: /^A / }).getByRole("button", { name: "Take theirs" }).click();
    await page.getByRole("button", { name: "Merge both" }).click();
    expect(await page.getByRole("textbox", { name: "Value of A", exact: true }).inputValue()).toBe("theirs");
    expect(await page.getByRole("textbox", { name: "Value of B", exact: true }).inputValue()).toBe("mine");
    check();
  });

  test("a draft is kept over a reload without its secrets, and is compared with what was stored meanwhile", async () => {
    const { version } = (await server.call("POST", api, { parameters: { A: "old", DB_PASSWORD: "st0red" } })) as { version: string };
    const { page, check } = await open(`${pg}&application=postgres`);
    await page.getByText("What is to be is calculated with the overrides.").waitFor();
    const value = (name: string) => page.getByLabel(`Value of ${name}`, { exact: true });
    await value("A").fill("mine");
    await page.keyboard.press("Enter");
    expect(await value("DB_PASSWORD").getAttribute("type")).toBe("password");
    await value("DB_PASSWORD").fill("hunter2");
    await page.keyboard.press("Enter");
    await page.getByLabel("Comment").fill("because");
    const stored = () => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    await expect.poll(stored).toContain("mine");
    expect(await stored()).not.toMatch(/hunter2|st0red/);
    await page.reload();
    await page.getByText("Your input from before the page was loaded is back.").waitFor();
    await page.getByText("1 secret value is not kept; type it again.").waitFor();
    expect(await value("A").inputValue()).toBe("mine");
    expect(await value("DB_PASSWORD").inputValue()).toBe("st0red");
    expect(await page.getByLabel("Comment").inputValue()).toBe("because");
    await checkAccess(page);
    const other = await page.context().newPage(); // another tab has no draft
    await other.goto(page.url());
    expect(await other.getByLabel("Value of A", { exact: true }).inputValue()).toBe("old");
    await other.close();
    await server.call("PUT", api, { parameters: { A: "theirs", DB_PASSWORD: "st0red" } }, { "If-Match": `"${version}"` });
    await page.reload();
    await page.getByText("what is stored was changed meanwhile").waitFor();
    await page.getByText("1 value was changed by both.").waitFor();
    expect(await page.content()).not.toMatch(/hunter2|>[^<]*st0red/);
    await checkAccess(page);
    await page.getByRole("row", { name: /^A / }).getByRole("button", { name: "Take yours" }).click();
    await page.getByRole("button", { name: "Merge both" }).click();
    expect(await value("A").inputValue()).toBe("mine");
    expect(await value("DB_PASSWORD").inputValue()).toBe("st0red");
    await page.getByRole("button", { name: "Reset" }).click();
    await expect.poll(stored).not.toContain("mine");
    check();
  });

  test("thousands of parameters are drawn near the window only, and the table uses the width there is", async () => {
    const parameters = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`A_PARAMETER_WITH_A_LONG_NAME_${i}`, `https://a-service-with-a-long-name.example.com/path/${i}`]));
    await server.call("POST", api, { parameters });
    const { page, check } = await open(`${pg}&application=postgres`);
    const table = page.getByRole("table", { name: "Parameters" });
    for (const of of [table, effective(page)]) {
      await expect.poll(async () => Number(await of.getAttribute("aria-rowcount"))).toBeGreaterThan(1200);
      expect(await of.locator("tr[data-change]").count()).toBeLessThan(80);
    }
    await page.getByRole("group", { name: "Parameters" }).evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.getByLabel("Value of A_PARAMETER_WITH_A_LONG_NAME_1199", { exact: true }).waitFor();
    for (const [width, least] of [[1280, 420], [1400, 430], [1920, 560]] as const) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      for (const name of ["Parameters", "Effective set"]) expect((await page.getByRole("group", { name }).boundingBox())?.width).toBeGreaterThan(least);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await page.getByRole("group", { name: "Effective set" }).evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(1);
    await checkAccess(page);
    check();
  });

  test("the heads of the tables are not broken within a word, in Russian, too", async () => {
    const { page, check } = await open(`${pg}&application=postgres`, { locale: "ru" });
    for (const name of ["Параметры", "Эффективный набор"]) {
      const heads = page.getByRole("table", { name }).getByRole("columnheader");
      await heads.first().waitFor();
      const lines = await heads.evaluateAll((cells) => cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return { words: cell.textContent.trim().split(/\s+/).length, lines: range.getClientRects().length };
      }));
      expect(lines.filter((one) => one.lines > one.words)).toEqual([]);
      expect(lines.length).toBeGreaterThan(3);
    }
    check();
  });

  test("a parameter that several environments override alike moves into one ParamSet, after a preview of what changes", async () => {
    const both = ["cluster-01/pl-01", "cluster-01/pl-02"].map((id) => `/api/ui-override?environmentId=${id}&context=runtime`);
    for (const path of both) await server.call("POST", path, { parameters: { ALIKE: "same", API_TOKEN: "hunter2" } });
    const { page, check } = await open("?context=runtime");
    await page.getByRole("button", { name: "Common parameters" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("row", { name: /^API_TOKEN •+ cloud: 2 environments/ }).waitFor();
    expect(await page.content()).not.toContain("hunter2");
    await settled(page);
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Move ALIKE" }).press("Enter");
    await dialog.getByLabel("ParamSet", { exact: true }).fill("for-both");
    await dialog.getByRole("button", { name: "Preview" }).press("Enter");
    await dialog.getByText("No value changes.").waitFor();
    await dialog.getByText("The ParamSet for-both is created with the parameter.").waitFor();
    await dialog.getByText("2 environments use it from then on.").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    for (const path of both) expect(await server.call("GET", path)).toMatchObject({ parameters: { API_TOKEN: "hunter2" } });
    expect(await server.call("GET", "/v2/param-sets/for-both")).toMatchObject({ spec: { parameters: { ALIKE: "same" } } });
    await page.getByRole("button", { name: "Common parameters" }).click();
    await dialog.getByRole("button", { name: "Move API_TOKEN" }).click();
    await server.call("PUT", both[1] ?? "", { parameters: { API_TOKEN: "other" } }, { "If-Match": "*" });
    await dialog.getByLabel("ParamSet", { exact: true }).fill("for-both");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("cluster-01/pl-02 gives API_TOKEN another value than cluster-01/pl-01").waitFor();
    expect(await dialog.getByRole("button", { name: "Move", exact: true }).isDisabled()).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
    await checkAccess(page);
    check();
  });

  test("parameters move to a ParamSet in a change set", async () => {
    await server.call("POST", api, { parameters: { MOVED: "12", KEPT: "x" } });
    const { page, check } = await open(pg);
    await page.getByRole("button", { name: "Move to a ParamSet" }).click();
    const dialog = page.getByRole("dialog", { name: "Move parameters to a ParamSet" });
    await dialog.getByRole("checkbox", { name: "KEPT" }).uncheck();
    await dialog.getByText("1 parameter is set in env-specific-bss.").waitFor();
    await dialog.getByText("The override keeps 1 parameter.").waitFor();
    await settled(page);
    await checkAccess(page);
    await dialog.getByLabel("Title").fill("One for all");
    await dialog.getByRole("button", { name: "Stage" }).click();
    await page.getByRole("textbox", { name: "Value of KEPT", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Value of MOVED", exact: true }).waitFor({ state: "detached" });
    const changeSet = new URL(page.url()).searchParams.get("changeSet") ?? "";
    const moved = (await server.call("GET", `/v2/clusters/cluster-01/environments/pl-01/param-sets/env-specific-bss?changeSet=${changeSet}`)) as { spec: { parameters: object; applications: object[] } };
    expect(moved.spec.parameters).toEqual({ MOVED: "12" });
    expect(moved.spec.applications.length).toBeGreaterThan(0);
    expect(((await server.call("GET", api)) as { parameters: object }).parameters).toEqual({ MOVED: "12", KEPT: "x" }); // nothing is stored yet
    check();
    await server.call("POST", `/api/change-sets/${changeSet}/close`);
  });

  test.each([
    { name: "light, Russian, phone", look: { scheme: "light", locale: "ru", phone: true } },
    { name: "dark, English", look: { scheme: "dark", locale: "en" } },
  ] as const)("accessible on all sides: $name", async ({ look }) => {
    await server.call("POST", api, { parameters: { A: "${NAMESPACE}" } });
    for (const query of [pg, `${pg}&side=affected`, `${pg}&application=postgres&side=origin&path=/NAMESPACE`]) {
      const { page, check } = await open(query, look);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await checkAccess(page);
      if ("phone" in look) expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      check();
    }
  });
});
