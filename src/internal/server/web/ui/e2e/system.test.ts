import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;

describe("the system page", () => {
  const { open } = stage(seed, "--rate", "700");

  test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const }, { scheme: "light" as const, phone: true }])("shows what serves, its leases, limits and state, accessibly: %o", async (look) => {
    const { page, check } = await open("/ui/", look);
    const ru = look.locale === "ru";
    if (look.phone) await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation", { name: ru ? "Главное меню" : "Main" }).getByRole("link", { name: ru ? "Система" : "System" }).click();
    const region = (en: string, russian: string) => page.getByRole("region", { name: ru ? russian : en, exact: true });
    await region("Processes and leases", "Процессы и аренды").getByRole("row", { name: /upkeep .*127\.0\.0\.1/ }).waitFor();
    await region("Limits and load", "Ограничения и нагрузка").getByRole("row", { name: /700/ }).waitFor();
    await region("Checks", "Проверки").getByText("ref-schema").waitFor();
    await region("Services", "Сервисы").getByText("resources").waitFor();
    await region("Store", "Хранилище").getByText("bolt").waitFor();
    await region("You", "Вы").getByText(ru ? "вам можно всё" : "you may do everything").waitFor();
    await region("Webhooks", "Вебхуки").waitFor();
    expect(await page.title()).toContain(ru ? "Система" : "System");
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.phone ? 390 : 1400);
    check();
  });
});

describe("the protocol level of a store", () => {
  const { server, open } = stage();

  test.each([
    { name: "the newest", protocol: { level: 2, newest: 2 }, behind: false },
    { name: "behind", protocol: { level: 1, newest: 2 }, behind: true },
    { name: "of a store of one process", protocol: undefined, behind: false },
    { name: "in Russian", protocol: { level: 1, newest: 2 }, behind: true, look: { scheme: "dark" as const, locale: "ru" as const, phone: true } },
  ])("is shown, with the command that raises it where it is not the newest: $name", async ({ protocol, behind, look }) => {
    const { page, check } = await open("/ui/nowhere", look);
    await page.route("**/v2/system", async (route) => { // as one on MongoDB answers
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), protocol } });
    });
    await page.goto(`${server.url}/ui/system`);
    const store = page.getByRole("region", { name: look ? "Хранилище" : "Store", exact: true });
    await store.getByText("bolt").waitFor();
    const level = store.getByRole("row", { name: new RegExp(`^(Protocol level|Уровень протокола) ${protocol?.level ?? ""}`) });
    expect(await level.count()).toBe(protocol ? 1 : 0);
    expect(await store.getByText("dovetail doctor --raise-protocol").count()).toBe(behind ? 1 : 0);
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look ? 390 : 1400);
    check();
  });
});

describe("with authentication", () => {
  const folder = mkdtempSync(join(tmpdir(), "dovetail-system-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const access = join(folder, "access.yaml");
  writeFileSync(access, JSON.stringify({
    roles: [{ name: "clusters", rules: [{ kinds: ["cluster"], verbs: ["read"] }] }],
    bindings: [{ role: "viewer", users: ["bob"] }, { role: "clusters", users: ["carol"], on: ["cluster/open"] }],
    tokens: ["bob", "carol"].map((name) => ({ name, groups: ["operators"], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
    protect: [{ on: ["cluster/open"], approvals: 2, message: "see the release calendar" }],
  }));
  const { server, open } = stage(undefined, "--access", access);

  test.each([
    { user: "bob", role: "viewer", sees: true },
    { user: "carol", role: "clusters", sees: false },
  ])("says to $user who they are and what they may, and shows processes only to those who may read everything", async ({ user, role, sees }) => {
    const { page } = await open("/ui/nowhere");
    await page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf(user));
    await page.goto(`${server.url}/ui/system`);
    const you = page.getByRole("region", { name: "You", exact: true });
    await you.getByText(user, { exact: true }).waitFor();
    await you.getByRole("row", { name: `Roles ${role}` }).waitFor();
    await you.getByText("see the release calendar").waitFor();
    await you.getByText("create: nothing").waitFor();
    const processes = page.getByRole("region", { name: "Processes and leases" });
    await (sees ? processes.getByRole("row", { name: /upkeep/ }) : processes.getByText("Shown to those who may read everything.")).waitFor();
    await settled(page);
    await checkAccess(page);
  });
});
