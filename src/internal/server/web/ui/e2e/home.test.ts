import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed, seedChangeSet, seedLayering, seedResolutions } from "./seed";
import { repository } from "./server";
import { stage } from "./stage";

describe("an empty store", () => {
  const { open } = stage();

  test("says what to do first, and has a sample one click away", { tags: ["journey"] }, async () => {
    const { page, check } = await open("/ui/");
    await page.getByRole("heading", { name: "Nothing is stored yet" }).waitFor();
    await page.getByText("Everything is in order.").waitFor();
    await settled(page);
    await checkAccess(page);
    await page.getByRole("button", { name: "Load the sample" }).click();
    const environments = page.getByRole("region", { name: "Documents" }).getByTitle("environment", { exact: true });
    await environments.waitFor();
    expect(await page.getByRole("heading", { name: "Nothing is stored yet" }).count()).toBe(0);
    await page.getByRole("region", { name: "Recent activity" }).getByText("a sample to look around in").waitFor();
    await environments.click();
    await page.getByRole("link", { name: "sample-cluster/dev" }).waitFor();
    check();
  });
});

describe("a folder of an empty store", () => {
  const { server, open } = stage();
  const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-folder-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "below"));
  writeFileSync(join(folder, "below/dev.json"), '{\n\t"kind": "environment",\n\t"key": {"cluster": "c"},\n\t"metadata": {"name": "dev"}\n}');
  writeFileSync(join(folder, "README.md"), "# no manifest\n");
  writeFileSync(join(folder, "z.yaml"), "\nkind: clutter\nmetadata: {name: c}");

  test("is applied after it has shown what that does, and what is wrong at its place in the files", async () => {
    const { page, check } = await open("/ui/", { locale: "ru", phone: true });
    const button = page.getByRole("button", { name: "Выбрать папку" });
    const choose = async () => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.press("Enter")]);
      await chooser.setFiles(folder);
    };
    await choose();
    const dialog = page.getByRole("dialog", { name: "Применить папку" });
    await dialog.getByText("Прочитано 2 файла.").waitFor();
    expect(await dialog.getByRole("alert").innerText()).toMatch(/1 ошибка в файлах[^]*z\.yaml:2:7 there is no kind "clutter"/);
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.keyboard.press("Escape");
    writeFileSync(join(folder, "z.yaml"), "\nkind: cluster\nmetadata: {name: c}");
    await choose();
    await dialog.getByText("Изменились бы 2 документа, одной транзакцией.").waitFor();
    await checkAccess(page);
    expect(await server.call("GET", "/v2/clusters")).toEqual([]);
    await dialog.getByRole("button", { name: "Применить", exact: true }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Документы" }).getByTitle("environment", { exact: true }).waitFor();
    expect(await server.call("GET", "/v2/clusters/c/environments/dev")).toMatchObject({ metadata: { name: "dev" } });
    check();
  });
});

describe("environments that have expired", () => {
  const { server, open } = stage();

  test("need attention, and lead to their document", async () => {
    await server.call("PUT", "/v2/clusters/c", { metadata: { name: "c" } });
    const days = { old: "2020-06-30", today: new Date().toISOString().slice(0, 10), later: "2999-01-01", never: null };
    for (const [name, expirationDate] of Object.entries(days)) {
      await server.call("PUT", `/v2/clusters/c/environments/${name}`, { metadata: { name }, spec: { definition: { metadata: { owners: ["shop team"], expirationDate } } } });
    }
    const { page, check } = await open("/ui/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("Expired after 2020-06-30").waitFor();
    expect(await attention.getByRole("link", { name: /^c\// }).allInnerTexts()).toEqual(["c/old"]);
    await checkAccess(page);
    await attention.getByRole("link", { name: "c/old" }).click();
    await page.getByRole("heading", { name: "old" }).first().waitFor();
    await page.goto(`${new URL(page.url()).origin}/ui/explorer?kind=environment`);
    await page.getByRole("columnheader", { name: "Owners" }).waitFor();
    await page.getByText("shop team").first().waitFor();
    check();
  });
});

describe("validations of layered documents that failed", () => {
  const { server, open } = stage(seedLayering);
  const report = (revision: number, name: string, status: string, errors: string[] = []) =>
    fetch(`${server.url}/api/v1.0/revisions/${revision}/validations/${name}`, { method: "POST", headers: { "Content-Type": "application/x-yaml" }, body: JSON.stringify({ status, validator: { name: "v" }, errors: errors.map((message) => ({ message })) }) });

  test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("need attention, the newest revision's only, and lead to it, accessibly: %o", async (look) => {
    const ru = "locale" in look;
    await report(2, "older", "failure", ["of an older revision"]);
    for (const name of ["smoke", "lint"]) await report(3, name, "failure", ["the port is closed", "the disk is full"]);
    const { page, check } = await open("/ui/", look);
    const attention = page.getByRole("region", { name: ru ? "Требует внимания" : "Needs attention" });
    const link = attention.getByRole("link", { name: ru ? "smoke: не пройдена для ревизии 3" : "smoke failed for revision 3" });
    await link.waitFor();
    await attention.getByText("the port is closed").first().waitFor();
    expect(await attention.getByText(/older/).count()).toBe(0);
    await checkAccess(page);
    await report(3, "smoke", "success");
    await link.waitFor({ state: "detached" });
    await attention.getByRole("link", { name: /^lint/ }).click();
    await page.waitForURL(/\/ui\/layering\?revision=3/);
    check();
  });

  test("are counted beyond the first five", async () => {
    for (let i = 0; i < 8; i++) await report(3, `check-${i}`, "failure");
    const { page, check } = await open("/ui/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText(/^4 more validations have failed$/).waitFor(); // with lint
    expect(await attention.getByRole("link", { name: /failed for revision 3/ }).count()).toBe(5);
    check();
  });
});

describe("documents that no longer pass", () => {
  const { server, open } = stage(undefined, "--references", "warn", "--scrub-interval", "1s");

  test.each([{ scheme: "light" as const, locale: "ru" as const, phone: true }, { scheme: "dark" as const }])("need attention as the last scrub found them, all of them on System, until they are repaired, accessibly: %o", async (look) => {
    const ru = "locale" in look;
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    if (ru) { // the first look; the other one finds what is left
      for (const name of names) await server.call("PUT", `/v2/app-definitions/${name}`, { metadata: { name }, spec: { registryName: "gone" } });
      await server.kill();
      await server.resume("--references", "strict");
      await expect.poll(async () => JSON.stringify(await server.call("GET", "/v2/scrub"))).toContain("appDefinition/g");
    }
    const { page, check } = await open("/ui/", look);
    const attention = page.getByRole("region", { name: ru ? "Требует внимания" : "Needs attention" });
    const link = attention.getByRole("link", { name: "appDefinition/a" });
    await link.waitFor();
    await attention.getByText(/registryDefinition\/gone, which does not exist/).first().waitFor();
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(ru ? 390 : 1400);
    const left = ru ? names.length : names.length - 1;
    await attention.getByRole("link", { name: ru ? `ещё ${left - 5} документа не соответствуют схеме или правилам` : "1 more document does not pass its schema or rules" }).press("Enter");
    const panel = page.getByRole("region", { name: ru ? "Целостность" : "Integrity" });
    await panel.getByRole("button").press("Enter");
    expect(await panel.getByRole("link").count()).toBe(left);
    await settled(page);
    await checkAccess(page);
    await panel.getByRole("link").last().press("Enter");
    await page.getByRole("heading", { name: names[left - 1], exact: true }).waitFor();
    if (ru) await server.call("PUT", "/v2/app-definitions/g", { metadata: { name: "g" } });
    check();
  });
});

describe("a server whose ref-schema has other kinds", () => {
  const { open } = stage(undefined, "--ref-schemas", `${repository}/ref-schemas/examples/emco`);

  test("says why the sample cannot be loaded", async () => {
    const { page, check } = await open("/ui/");
    const button = page.getByRole("button", { name: "Load the sample" });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    expect(await button.getAttribute("aria-description")).toContain("does not have the kinds of the sample");
    check();
  });
});

describe("a store with documents", () => {
  const { server, open } = stage(async (all) => {
    await seed(all);
    await seedResolutions(all);
    await seedChangeSet(all);
  });

  test.each([{ scheme: "light" as const }, { scheme: "dark" as const }, { scheme: "light" as const, locale: "ru" as const, phone: true }])("is shown with its counts, what needs attention and what happened, accessibly: %o", async (look) => {
    const { page, check } = await open("/ui/", look);
    const ru = look.locale === "ru";
    const tiles = page.getByRole("region", { name: ru ? "Документы" : "Documents" });
    await expect.poll(() => tiles.getByTitle("deployPostfix", { exact: true }).innerText()).toMatch(/3$/);
    const attention = page.getByRole("region", { name: ru ? "Требует внимания" : "Needs attention" });
    await attention.getByRole("link", { name: "clash" }).waitFor();
    expect(await attention.getByRole("link", { name: "fine" }).count()).toBe(0);
    await page.getByRole("link", { name: "More memory for the sale" }).first().waitFor();
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.phone ? 390 : 1400);
    check();
  });

  test("tiles show how the counts went in a week", async () => {
    const { page, check } = await open("/ui/");
    const tile = page.getByRole("region", { name: "Documents" }).getByTitle("deployPostfix", { exact: true });
    await tile.getByTitle("+3 in a week").waitFor();
    expect(await tile.locator("polyline").getAttribute("points")).toMatch(/,15 .*,1$/);
    check();
  });

  test("times are relative, with the absolute one on hover", async () => {
    const { page, check } = await open("/ui/");
    const time = page.getByRole("region", { name: "Recent activity" }).getByRole("time").first();
    await time.waitFor();
    expect(await time.innerText()).toMatch(/ago$/);
    expect(await time.getAttribute("title")).toMatch(/\d{4}.*\d:\d\d/);
    check();
  });

  test("the sidebar has the kinds by service with their counts, which follow the store", async () => {
    const { page, check } = await open("/ui/explorer");
    const kinds = page.getByRole("navigation", { name: "Kinds" });
    await kinds.getByRole("button", { name: "Inventory", expanded: true }).waitFor();
    const link = kinds.getByTitle("cluster", { exact: true });
    expect(await link.innerText()).toMatch(/cluster\s*4/);
    await server.call("POST", "/v2/clusters", { metadata: { name: "one-more" } });
    await expect.poll(() => link.innerText()).toMatch(/5$/);
    expect(await kinds.getByTitle("changeSet", { exact: true }).count()).toBe(0);
    await kinds.getByRole("button", { name: "System" }).click();
    await kinds.getByTitle("changeSet", { exact: true }).waitFor();
    await link.click();
    await page.getByRole("link", { name: "one-more" }).waitFor();
    await checkAccess(page);
    check();
  });

  test("a document has its place as breadcrumbs with full keys", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/cluster-01/environment/env-01/deployPostfix/core&tab=yaml");
    const crumbs = page.getByRole("navigation", { name: "Where this is" });
    await expect.poll(() => crumbs.getByRole("link").allInnerTexts()).toEqual(["cluster", "cluster-01", "env-01"]);
    await crumbs.getByRole("link", { name: "env-01" }).click();
    await page.getByRole("heading", { name: "env-01", exact: true }).waitFor();
    check();
  });

  test("on a phone the sidebar opens over the page, and closes when one goes somewhere", async () => {
    const { page, check } = await open("/ui/", { phone: true });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Schema" }).click();
    await page.getByRole("heading", { name: "Schema" }).waitFor();
    await expect.poll(() => page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    check();
  });
});

describe("a store that follows an instance repository", () => {
  const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-home-"));
  const work = join(folder, "work");
  cpSync(`${repository}/src/internal/git/instancerepo/testdata/sample`, work, { recursive: true });
  writeFileSync(join(work, "environments/cluster-01/broken.yaml"), "a: [1\n");
  const git = (...args: string[]) => execFileSync("git", ["-C", work, "-c", "user.name=Other", "-c", "user.email=other@example.com", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  const remote = join(folder, "remote.git");
  execFileSync("git", ["clone", "-q", "--bare", work, remote]);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { open } = stage(undefined, "--instance-repo", remote, "--instance-repo-clone", join(folder, "server.git"), "--instance-repo-interval", "1h");

  test("shows the commit, and the findings as a list with their places", async () => {
    const { page, check } = await open("/ui/");
    const panel = page.getByRole("region", { name: "Instance repository" });
    await panel.getByTitle(git("rev-parse", "HEAD").trim()).waitFor();
    const findings = panel.getByRole("list").getByRole("listitem");
    expect(await findings.count()).toBeGreaterThan(0);
    expect(await findings.first().innerText()).toMatch(/\.(ya?ml|json)/);
    await page.getByRole("region", { name: "Needs attention" }).getByRole("link", { name: /findings? in the instance repository/ }).waitFor();
    await settled(page);
    await checkAccess(page);
    check();
  });
});

describe("a store that follows several instance repositories", () => {
  const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-several-"));
  const heads: Record<string, string> = {};
  const entries = ["eu", "us"].map((name) => {
    const work = join(folder, name);
    const file = join(work, `environments/${name}-1/dev/Inventory/env_definition.yml`);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "envTemplate: {name: t}\n");
    if (name === "us") writeFileSync(join(work, "environments/us-1/broken.yaml"), "a: [1\n");
    const git = (...args: string[]) => execFileSync("git", ["-C", work, "-c", "user.name=Other", "-c", "user.email=other@example.com", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "first");
    heads[name] = git("rev-parse", "HEAD").trim();
    execFileSync("git", ["clone", "-q", "--bare", work, join(folder, `${name}.git`)]);
    return `- {name: ${name}, url: ${join(folder, `${name}.git`)}, clusters: [${name}-*]}\n`;
  });
  const file = join(folder, "repositories.yaml");
  writeFileSync(file, `repositories:\n${entries.join("")}`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { open } = stage(undefined, "--instance-repos", file, "--instance-repo-clone", join(folder, "clones"), "--instance-repo-interval", "1h");

  test.each(["/ui/", "/ui/system"])("shows the commit and the findings of each on %s", async (address) => {
    const { page, check } = await open(address);
    for (const [name, head] of Object.entries(heads)) {
      const panel = page.getByRole("region", { name: `Instance repository ${name}` });
      await panel.getByTitle(head).waitFor();
      expect(await panel.getByText("Nothing is wrong in the repository.").count()).toBe(name === "eu" ? 1 : 0);
    }
    if (address === "/ui/") {
      await page.getByRole("region", { name: "Needs attention" }).getByRole("link", { name: /^us: .*findings? in the instance repository/ }).waitFor();
      expect(await page.getByRole("link", { name: /^eu: / }).count()).toBe(0);
    }
    await settled(page);
    await checkAccess(page);
    check();
  });
});
