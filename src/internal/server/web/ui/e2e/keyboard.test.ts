import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { nextStep, named } from "./proposals";
import { seedSample } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(async (made) => {
  await seedSample(made);
  for (const name of ["shop", "bank", "mill"]) await made.call("POST", "/v2/clusters", named(name, { memory: "1Gi" }));
});

/** Presses Tab until an element has the focus that is called so, as those must who have no mouse. */
async function tabTo(page: Page, name: string, most = 80): Promise<void> {
  for (let i = 0; i < most; i++) {
    const reached = await page.evaluate(() => {
      const element = document.activeElement;
      const labelled = element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((label) => label.textContent).join(" ") : "";
      return [element?.getAttribute("aria-label"), labelled, element?.textContent].map((text) => text?.trim());
    });
    if (reached.includes(name)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}`);
}

describe("the five main tasks, by keys alone", () => {
  test("find a document", async () => {
    const { page, check } = await open("/ui/");
    await settled(page);
    await page.keyboard.press("Control+k");
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type("shop");
    await page.getByRole("option", { name: "shop cluster", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
    check();
  });

  test("edit and save", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/bank&tab=yaml");
    await page.locator(".cm-content").waitFor();
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.activeElement?.classList.contains("cm-content"));
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("  cpu: 4\n");
    await page.getByText("The server found no errors.").waitFor();
    await tabTo(page, "Review changes");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Save these changes?").waitFor();
    await tabTo(page, "Save");
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
    expect(await server.call("GET", "/v2/clusters/bank")).toMatchObject({ spec: { memory: "1Gi", cpu: 4 } });
    check();
  });

  test("create a document", async () => {
    const { page, check } = await open("/ui/");
    await settled(page);
    await page.keyboard.press("Control+k");
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type("New cluster");
    await page.getByRole("option", { name: "New cluster", exact: true, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New cluster" }).waitFor();
    await page.locator("#content").getByRole("textbox", { name: "name", exact: true }).waitFor();
    await tabTo(page, "name *");
    await page.keyboard.type("typed");
    await tabTo(page, "Create");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "typed", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/clusters/typed")).toMatchObject({ metadata: { name: "typed" } });
    check();
  });

  test("override a parameter", { tags: ["journey"] }, async () => {
    const { page, check } = await open("/ui/overrides?cluster=cluster-01&environment=pl-01");
    await page.getByText("Nothing is overridden here yet.").waitFor();
    await tabTo(page, "Name of a new parameter", 120);
    await page.keyboard.type("REPLICAS");
    await page.keyboard.press("Tab");
    await page.keyboard.type("3");
    await tabTo(page, "Add");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Value of REPLICAS" }).waitFor();
    await tabTo(page, "Save");
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
    expect(await server.call("GET", "/api/ui-override?environmentId=cluster-01/pl-01&context=deploy")).toMatchObject({ parameters: { REPLICAS: 3 } });
    check();
  });

  test("review and merge a change set", async () => {
    await server.call("POST", "/api/change-sets", { name: "by-keys", title: "By keys" });
    await server.call("PATCH", "/v2/clusters/mill?changeSet=by-keys", { spec: { cpu: 8 } }, { "Content-Type": "application/merge-patch+json" });
    const { page, check } = await open("/ui/");
    await settled(page);
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByRole("link", { name: "By keys" }).waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("By keys");
    await page.keyboard.press("Enter");
    await nextStep(page).getByText("All checks passed. It can be merged.").waitFor();
    await tabTo(page, "Conversation");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("region", { name: "cluster/mill" }).waitFor();
    await page.evaluate(() => document.querySelector<HTMLElement>("#content")?.focus());
    await tabTo(page, "Merge");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("would be updated").waitFor();
    await tabTo(page, "Merge");
    await page.keyboard.press("Enter");
    await nextStep(page).getByText("This change set is merged.").waitFor();
    expect(await server.call("GET", "/v2/clusters/mill")).toMatchObject({ spec: { memory: "1Gi", cpu: 8 } });
    check();
  });
});

describe("shortcuts", () => {
  test("j and k move in a table, Enter opens, h shows the history, g h goes home", async () => {
    const { page, check } = await open("/ui/explorer?kind=cluster");
    await page.getByRole("row").getByRole("link", { name: "bank" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const seen: (string | null | undefined)[] = [];
    for (const key of ["j", "j", "k", "j"]) {
      await page.keyboard.press(key);
      seen.push(await focused());
    }
    expect(seen).toEqual(["bank", "bgd-cluster", "bank", "bgd-cluster"]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "bgd-cluster", exact: true }).waitFor();
    await page.keyboard.press("h");
    await page.getByRole("list", { name: /^Versions of/ }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    check();
  });

  test("j and k move in the hierarchy, too, and / leads to the filter, in which keys are text", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/shop&tab=yaml");
    await page.getByRole("treeitem", { name: "shop" }).waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("treeitem");
    await page.goto(`${server.url}/ui/explorer?kind=cluster`);
    await page.getByRole("row").getByRole("link", { name: "bank" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("jek?g h");
    expect(await page.getByRole("searchbox", { name: "Filter by name" }).inputValue()).toBe("jek?g h");
    check();
  });

  test("? lists them, those of the page too, also with a Russian layout", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/shop&tab=yaml", { locale: "ru" });
    await page.locator(".cm-content").waitFor();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Сочетания клавиш" });
    await list.getByRole("row", { name: "e Изменить документ" }).waitFor();
    await list.getByRole("row", { name: "g h Главная" }).waitFor();
    await checkAccess(page);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "р", code: "KeyH" })));
    await page.getByRole("list", { name: /^Версии/ }).waitFor();
    check();
  });
});
