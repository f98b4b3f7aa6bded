import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(seed);
const environment = "cluster/cluster-01/environment/env-01";

/** Replaces all that the focused editor has. */
async function write(page: Awaited<ReturnType<typeof open>>["page"], text: string) {
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

describe("the explorer", () => {
  test("a browser that asks for / gets the page, and a program the API", async () => {
    const { page, check } = await open("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/ui/");
    const index = (await (await fetch(server.url)).json()) as { name: string };
    expect(index.name).toBe("dovetail");
    check();
  });

  test("the tree is walked with keys alone", async () => {
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("treeitem", { name: "appDefinition" }).focus();
    const cluster = page.getByRole("treeitem", { name: "cluster", exact: true });
    for (let kinds = 0; kinds < 10 && !(await cluster.evaluate((item) => item === document.activeElement)); kinds++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("treeitem", { name: "cluster-01" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "cluster-01", exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?id=cluster/cluster-01");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("treeitem", { name: "environment", exact: true }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("treeitem", { name: "environment", exact: true }).waitFor({ state: "detached" });
    check();
  });

  test("a deep link opens the tree at its document", async () => {
    const { page, check } = await open(`/ui/explorer?id=${environment}/deployPostfix/core&tab=yaml`);
    await page.getByRole("heading", { name: "core", exact: true }).waitFor();
    await page.locator('[role="treeitem"][aria-selected="true"]', { hasText: "core" }).waitFor();
    await page.getByRole("link", { name: "env-01" }).click();
    await page.getByRole("heading", { name: "env-01", exact: true }).waitFor();
    check();
  });

  test("a long list comes page by page", async () => {
    const names = Array.from({ length: 250 }, (_, i) => `many-${String(i).padStart(3, "0")}`);
    await server.call("POST", "/v2/batch", names.map((name) => ({ kind: "environment", key: { cluster: "cluster-02", environment: name }, data: { metadata: { name } } })));
    const { page, check } = await open("/ui/explorer?id=cluster/cluster-02&tab=yaml");
    await page.getByRole("treeitem", { name: "cluster-02" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("treeitem", { name: "environment", exact: true }).getByText("environment").click();
    await page.getByRole("treeitem", { name: "many-099" }).waitFor();
    expect(await page.getByRole("treeitem", { name: "many-100" }).count()).toBe(0);
    await page.getByText("Load more").click();
    await page.getByRole("treeitem", { name: "many-199" }).waitFor();
    await page.getByText("Load more").click();
    await page.getByRole("treeitem", { name: "many-249" }).waitFor();
    expect(await page.getByText("Load more").count()).toBe(0);
    check();
  });

  test.each([
    { name: "name", by: "name", find: "core", found: `${environment}/deployPostfix/core` },
    { name: "id", by: "id", find: `${environment}/deployPostfix/core`, found: `${environment}/deployPostfix/core/application/postgres` },
    { name: "labels", by: "labels", find: "tier=prod", found: "cluster/cluster-01" },
    { name: "fields", by: "fields", find: "spec.namespace=env-01-billing", found: `${environment}/deployPostfix/billing` },
  ])("search by $name", async ({ by, find, found }) => {
    const { page, check } = await open("/ui/explorer");
    await page.getByLabel("Search by").selectOption(by);
    await page.getByLabel("Search for").fill(find);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Results" }).getByRole("link", { name: found, exact: true }).click();
    await page.getByRole("heading", { name: found.split("/").at(-1), exact: true }).waitFor();
    check();
  });

  test("search by what is no id says so", async () => {
    const { page, check } = await open("/ui/explorer?by=id&find=nonsense");
    await page.getByRole("alert").getByText('invalid id "nonsense"').waitFor();
    check();
  });

  test.each(["cluster/never", "cluster/cluster-01/environment/never"])("search by id finds nothing at %s", async (id) => {
    const { page, check } = await open(`/ui/explorer?by=id&find=${id}`);
    await page.getByText("No matches.").waitFor();
    expect(await page.getByRole("region", { name: "Results" }).getByRole("listitem").count()).toBe(0);
    check();
  });

  test("a deep link selects a document that is far down a long list, and shows its row", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "deep" } });
    const names = Array.from({ length: 260 }, (_, i) => `e-${String(i).padStart(3, "0")}`);
    await server.call("POST", "/v2/batch", names.map((name) => ({ kind: "environment", key: { cluster: "deep", environment: name }, data: { metadata: { name } } })));
    for (const name of ["e-050", "e-255"]) {
      const { page, check } = await open(`/ui/explorer?id=cluster/deep/environment/${name}&tab=yaml`);
      const row = page.locator('[role="treeitem"][aria-selected="true"]', { hasText: name });
      await row.waitFor();
      await expect.poll(() => row.evaluate((item) => {
        const tree = item.closest('[role="tree"]')?.getBoundingClientRect();
        const { top, bottom } = item.getBoundingClientRect();
        return tree !== undefined && top >= tree.top && bottom <= tree.bottom && bottom <= window.innerHeight;
      })).toBe(true);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
      check();
    }
    const { page, check } = await open("/ui/explorer?id=cluster/deep/environment/never&tab=yaml");
    await page.getByText("This document does not exist").waitFor();
    expect(await page.locator('[role="treeitem"][aria-selected="true"]').count()).toBe(0);
    check();
  });

  test("what holds a document and what it holds", async () => {
    const { page, check } = await open("/ui/explorer?id=registryDefinition/sample-registry&tab=links");
    await page.getByRole("region", { name: "Refers to" }).getByRole("link", { name: "credential/reader" }).waitFor();
    await page.getByRole("region", { name: "Used by" }).getByRole("link", { name: "appDefinition/postgres" }).waitFor();
    await page.getByRole("tab", { name: "Graph" }).click();
    const picture = page.getByRole("region", { name: "Neighbourhood of registryDefinition/sample-registry" });
    await picture.locator('[data-id="appDefinition/postgres"]').waitFor();
    expect(await picture.locator(".react-flow__node").count()).toBe(3);
    await picture.locator('[data-id="credential/reader"]').focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "reader", exact: true }).waitFor();
    await page.getByText("2", { exact: true }).click();
    await page.locator('[data-id="appDefinition/postgres"]').waitFor();
    await checkAccess(page);
    check();
  });

  test("create with the form, and what the server finds wrong", { tags: ["journey"] }, async () => {
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("menuitem", { name: "New appDefinition" }).click();
    await page.getByRole("textbox", { name: "registryName" }).fill("nowhere");
    await page.locator("fieldset", { hasText: "metadata" }).getByRole("textbox", { name: "name", exact: true }).fill("kafka");
    await page.getByText("registryDefinition/nowhere").first().waitFor();
    await page.getByRole("textbox", { name: "registryName" }).fill("sample-registry");
    await page.getByText("The server found no errors.").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "kafka", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/app-definitions/kafka")).toMatchObject({ metadata: { name: "kafka" }, spec: { registryName: "sample-registry" } });
    check();
  });

  test("edit as YAML: offers, a diff, a save; big numbers stay as they are", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "precise" } });
    await fetch(`${server.url}/v2/clusters/precise`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"metadata":{"name":"precise"},"spec":{"big":12345678901234567890}}' });
    const { page, check } = await open("/ui/explorer?id=cluster/precise&tab=yaml");
    await page.locator(".cm-content", { hasText: "12345678901234567890" }).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("desc");
    await page.locator(".cm-tooltip-autocomplete", { hasText: "description" }).waitFor();
    await page.waitForTimeout(100); // the list ignores keys right after it has appeared
    await page.keyboard.press("Enter");
    await page.keyboard.type("exact");
    await page.getByText("The server found no errors.").waitFor();
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.locator(".cm-changedLine", { hasText: "description: exact" }).waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const stored = await (await fetch(`${server.url}/v2/clusters/precise`)).text();
    expect(stored).toContain('"description":"exact"');
    expect(stored).toContain("12345678901234567890");
    check();
  });

  test("another user saves first: theirs, yours and both together", { tags: ["journey"] }, async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "contested" }, spec: { a: 1, b: 1, c: 1 } });
    const { page, check } = await open("/ui/explorer?id=cluster/contested&tab=yaml");
    await page.locator(".cm-content", { hasText: "contested" }).waitFor();
    await write(page, "metadata:\n  name: contested\nspec:\n  a: 2\n  b: 2\n  c: 1\n");
    await server.call("PUT", "/v2/clusters/contested", { metadata: { name: "contested" }, spec: { a: 3, b: 1, c: 3 } });
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Another user has saved this document" });
    await dialog.getByText("1 value was changed by both").waitFor();
    expect(await dialog.locator("table").innerText()).toContain("spec.a");
    await checkAccess(page);
    await dialog.getByRole("tab", { name: "What they changed" }).click();
    await dialog.locator(".cm-changedLine", { hasText: "c: 3" }).waitFor();
    await dialog.getByRole("tab", { name: "Merged" }).click();
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    await dialog.getByRole("button", { name: "Save the result" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await server.call("GET", "/v2/clusters/contested")).toMatchObject({ spec: { a: 3, b: 2, c: 3 } });
    check();
  });

  test("delete: what blocks it, what would go with it, and then all of it", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "doomed" } });
    await server.call("POST", "/v2/clusters/doomed/environments", { metadata: { name: "inner" } });
    const { page, check } = await open("/ui/explorer?id=cluster/doomed&tab=yaml");
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete doomed?" });
    await dialog.getByText("1 document depends on it:").waitFor();
    await dialog.getByRole("link", { name: "cluster/doomed/environment/inner" }).waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Show what would be deleted with it" }).click();
    await dialog.getByText("2 documents would be deleted:").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Delete all 2" }).click();
    await page.getByText("Choose a document in the hierarchy").waitFor();
    await expect(server.call("GET", "/v2/clusters/doomed")).rejects.toThrow("404");
    check();
  });

  test("more than a hundred documents are deleted only with the plan seen and the name typed", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "crowded" } });
    const names = Array.from({ length: 100 }, (_, i) => `e-${i}`);
    await server.call("POST", "/v2/batch", names.map((name) => ({ kind: "environment", key: { cluster: "crowded", environment: name }, data: { metadata: { name } } })));
    const { page, check } = await open("/ui/explorer?id=cluster/crowded&tab=yaml");
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete crowded?" });
    await dialog.getByRole("button", { name: "Show what would be deleted with it" }).click();
    await dialog.getByRole("table", { name: "Documents by kind" }).getByRole("row", { name: "environment 100" }).waitFor();
    const all = dialog.getByRole("button", { name: "Delete all 101" });
    expect(await all.isDisabled()).toBe(true);
    await dialog.getByLabel("Type crowded to delete 101 documents").fill("crowd");
    expect(await all.isDisabled()).toBe(true);
    await checkAccess(page);
    await dialog.getByLabel("Type crowded to delete 101 documents").fill("crowded");
    await all.click();
    await page.getByText("Choose a document in the hierarchy").waitFor();
    await expect(server.call("GET", "/v2/clusters/crowded")).rejects.toThrow("404");
    check();
  });

  test("the comment of a change stays on other tabs", async () => {
    await server.call("POST", "/v2/clusters", { metadata: { name: "commented" } });
    const { page, check } = await open("/ui/explorer?id=cluster/commented&tab=yaml");
    await page.locator(".cm-content", { hasText: "commented" }).waitFor();
    await write(page, "metadata:\n  name: commented\n  description: new\n");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByLabel("Message").fill("because");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByRole("button", { name: "Review changes" }).click();
    expect(await page.getByLabel("Message").inputValue()).toBe("because");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    check();
  });

  test("a missing reference is marked at its place, and the verdict is renewed when another user creates what is missing", async () => {
    const { page, check } = await open("/ui/explorer?id=registryDefinition/sample-registry&tab=yaml");
    await page.locator(".cm-content", { hasText: "sample-registry" }).waitFor();
    await write(page, "metadata:\n  name: sample-registry\nspec:\n  mavenConfig: {}\n  credentialsId: later\n");
    await page.locator(".cm-line", { hasText: "credentialsId: later" }).locator(".cm-lintRange-error", { hasText: "later" }).waitFor();
    await page.getByText("1 finding").waitFor();
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Save these changes?" });
    await dialog.getByRole("alert").getByText("credential/later").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alert").getByText("credential/later").first().waitFor();
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("# more\n");
    expect(await page.getByRole("alert").count()).toBe(0);
    await server.call("POST", "/v2/credentials", { metadata: { name: "later" }, spec: { type: "secret", data: { secret: "s" } } });
    await page.getByText("The server found no errors.").waitFor();
    check();
  });

  test("secrets are dots until they are asked for", async () => {
    await server.call("POST", "/v2/credentials", { metadata: { name: "keeper" }, spec: { type: "usernamePassword", data: { username: "u", password: "hunter2" } } });
    for (const tab of ["&tab=yaml", "&tab=form", "&tab=history"]) {
      const { page, check } = await open(`/ui/explorer?id=credential/keeper${tab}`);
      await page.getByText("Secret values are hidden.").waitFor();
      await page.locator(".cm-line", { hasText: "password: ••••••••" }).waitFor();
      expect(await page.content()).not.toContain("hunter2");
      await checkAccess(page);
      const recorded = page.waitForResponse((response) => /\/v2\/credentials\/keeper\?(at=[^&]+&)?reveal=true$/.test(response.url()) && response.ok());
      await page.getByRole("button", { name: "Reveal" }).click();
      await recorded;
      await page.getByText("Secret values are hidden.").waitFor({ state: "detached" });
      if (tab === "") await page.locator(".cm-line", { hasText: "password: hunter2" }).waitFor();
      if (tab === "&tab=form") expect(await page.getByRole("textbox", { name: "password" }).inputValue()).toBe("hunter2");
      check();
    }
  });

  test("secrets stay dots where no record of it is made", async () => {
    await server.call("POST", "/v2/credentials", { metadata: { name: "unseen" }, spec: { type: "secret", data: { secret: "hunter3" } } });
    const { page, check } = await open("/ui/explorer?id=credential/unseen&tab=yaml");
    await page.route("**/v2/credentials/unseen?reveal=true", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ detail: "the audit record cannot be kept" }) }));
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByRole("alert").getByText("the audit record cannot be kept").waitFor();
    await page.getByText("Secret values are hidden.").waitFor();
    expect(await page.content()).not.toContain("hunter3");
    check();
  });

  test("hostile names and values are text, never HTML", async () => {
    const hostile = `<img src=x onerror="alert(1)">/../'"{{7*7}}`;
    await server.call("POST", "/v2/clusters", { metadata: { name: hostile, description: "<script>alert(2)</script>\u202e" }, spec: { "<b>k</b>": "<svg/onload=alert(3)>", link: "javascript:alert(4)" } });
    await server.call("POST", `/v2/clusters/${encodeURIComponent(hostile)}/environments`, { metadata: { name: "<iframe srcdoc='<script>alert(5)</script>'>" } });
    const { page, check } = await open("/ui/explorer");
    await page.getByRole("treeitem", { name: "cluster", exact: true }).getByText("cluster").click();
    await page.getByRole("treeitem", { name: hostile }).getByText("<img").click();
    await page.getByRole("heading", { name: hostile }).waitFor();
    for (const tab of ["Form", "Links", "Graph", "YAML"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      expect(await page.locator("#content").locator("script, iframe, img, [onerror], [onload], a[href^=javascript]").count()).toBe(0);
    }
    await page.reload();
    await page.getByRole("heading", { name: hostile }).waitFor();
    check();
  });

  test("what is not there says so", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/never&tab=yaml");
    await page.getByText("This document does not exist").waitFor();
    await page.goto(`${server.url}/ui/nowhere/at/all`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    check();
  });

  test("a server that wants a token gets it, and a wrong one is said to be wrong", async () => {
    const { page, check } = await open("/ui/nowhere");
    const refusal = { type: "about:blank", title: "Unauthorized", status: 401, code: "unauthenticated", detail: "who asks?" };
    await page.route("**/v2/**", async (route) => {
      if ((await route.request().headerValue("authorization")) === "Bearer right") await route.continue();
      else await route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(refusal) });
    });
    await page.goto(`${server.url}/ui/explorer?id=cluster/cluster-01&tab=yaml`);
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("The server does not accept the token.").waitFor();
    await checkAccess(page);
    await page.getByLabel("Token").fill("right");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "cluster-01", exact: true }).waitFor();
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en", heading: "Explorer" },
    { name: "dark, Russian", scheme: "dark", locale: "ru", heading: "Обзор" },
  ] as const)("accessible: $name", async ({ scheme, locale, heading }) => {
    for (const tab of ["", "&tab=yaml", "&tab=form", "&tab=links", "&tab=graph", "&tab=api"]) {
      const { page, check } = await open(`/ui/explorer?id=${environment}${tab}`, { scheme, locale });
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor({ state: "attached" });
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      expect(await page.locator("html").getAttribute("lang")).toBe(locale);
      await checkAccess(page);
      check();
    }
  });
});
