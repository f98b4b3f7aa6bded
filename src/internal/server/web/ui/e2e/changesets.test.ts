import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { banner, edit, named, nextStep, propose } from "./proposals";
import { stage } from "./stage";

interface ChangeSet {
  state: string;
  base: string;
  total: number;
  operations: { id?: string; verb: string }[];
}

const { server, open } = stage(async ({ call }) => {
  for (const name of ["shop", "bank", "mill", "lab"]) await call("POST", "/v2/clusters", named(name, { memory: "1Gi" }));
  await call("POST", "/v2/clusters/lab/environments", named("dev"));
  await call("POST", "/v2/clusters/lab/environments/dev/namespaces", named("core", { namespace: "dev-core" }));
});
const read = async (name: string) => (await server.call("GET", `/api/change-sets/${name}`)) as ChangeSet;

test("what others stage in it is shown where one works in it, and in the list", async () => {
  await server.call("POST", "/api/change-sets", { name: "watched", title: "Watched" });
  const list = await open("/ui/change-sets");
  const row = list.page.getByRole("listitem").filter({ hasText: "Watched" });
  await row.getByText("0 changes").waitFor();
  const { page, check } = await open("/ui/explorer?kind=cluster&changeSet=watched");
  await page.getByRole("row").getByRole("link", { name: "shop" }).waitFor();
  await settled(page);
  await server.call("POST", "/v2/clusters?changeSet=watched", named("late"));
  await page.getByRole("row").getByRole("link", { name: "late" }).waitFor();
  await banner(page).getByText("1 change").waitFor();
  await row.getByText("1 change", { exact: true }).waitFor();
  await server.call("DELETE", "/api/change-sets/watched");
  list.check();
  check();
});

/** The way to the change sets in the navigation. */
const entry = (page: Page) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Change sets/ });

test("those that are open are counted in the navigation, by itself", async () => {
  const { page, check } = await open("/ui/explorer");
  await page.getByRole("tree").waitFor();
  await settled(page);
  const before = Number(/\d+$/.exec(await entry(page).innerText())?.[0] ?? 0);
  for (const name of ["counted-1", "counted-2"]) await server.call("POST", "/api/change-sets", { name });
  const shown = entry(page).getByText(String(before + 2), { exact: true });
  await shown.waitFor();
  expect(await shown.getAttribute("title")).toBe("Open change sets");
  await checkAccess(page);
  await server.call("POST", "/api/change-sets/counted-2/close");
  await entry(page).getByText(String(before + 1), { exact: true }).waitFor();
  check();
  const past = await open(`/ui/explorer?asOf=${encodeURIComponent(new Date().toISOString())}`);
  await past.page.getByRole("tree").waitFor();
  await settled(past.page);
  expect(await entry(past.page).innerText()).toBe("Change sets"); // how many were open then is not known
  await server.call("DELETE", "/api/change-sets/counted-1");
});

test("one is created, worked in, left, reviewed and merged", { tags: ["journey"] }, async () => {
  const { page, check } = await open("/ui/change-sets");
  await page.getByRole("button", { name: "New change set" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("More memory");
  expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("more-memory");
  await checkAccess(page);
  await page.getByRole("button", { name: "Create" }).click();
  await nextStep(page).getByText("Nothing is staged yet.").waitFor();
  await banner(page).getByText("More memory").waitFor();
  expect(new URL(page.url()).search).toBe("?name=more-memory&changeSet=more-memory");

  await nextStep(page).getByRole("link", { name: "Work in it" }).click();
  await page.getByRole("treeitem", { name: "cluster" }).click();
  await page.getByRole("treeitem", { name: "shop" }).click();
  await page.getByRole("tab", { name: "YAML" }).click();
  const dialog = await edit(page, "  cpu: 4\n");
  await dialog.getByText("Stage these changes?").waitFor();
  await dialog.getByRole("button", { name: "Stage" }).click();
  await page.getByText("Staged.", { exact: true }).waitFor();
  await banner(page).getByText("1 change").waitFor();
  await page.getByRole("link", { name: "staged in this change set" }).waitFor();
  await checkAccess(page);
  expect(await server.call("GET", "/v2/clusters/shop")).toMatchObject({ spec: { memory: "1Gi" } });
  expect(await server.call("GET", "/v2/clusters/shop?changeSet=more-memory")).toMatchObject({ spec: { memory: "1Gi", cpu: 4 } });

  const link = page.url();
  await banner(page).getByRole("button", { name: "Leave" }).click();
  await banner(page).waitFor({ state: "detached" });
  expect(await page.locator(".cm-content").first().innerText()).not.toContain("cpu");
  expect(page.url()).not.toContain("changeSet");
  await page.goto(link);
  await page.locator(".cm-content", { hasText: "cpu: 4" }).waitFor();

  await page.getByRole("link", { name: "staged in this change set" }).click();
  await page.getByRole("region", { name: "cluster/shop" }).locator(".cm-changedLine", { hasText: "cpu: 4" }).waitFor();
  await page.getByRole("radiogroup", { name: "View" }).getByText("Values").click();
  await page.getByRole("region", { name: "cluster/shop" }).getByText("/spec/cpu").waitFor();
  await checkAccess(page);

  await nextStep(page).getByText("All checks passed. It can be merged.").waitFor();
  await nextStep(page).getByRole("button", { name: "Merge" }).click();
  await page.getByRole("dialog").getByText("would be updated").waitFor();
  await page.getByRole("dialog").getByLabel("Message").fill("the sale begins");
  await checkAccess(page);
  expect((await read("more-memory")).state).toBe("open");
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await nextStep(page).getByText("This change set is merged.").waitFor();
  await banner(page).waitFor({ state: "detached" });
  expect(await server.call("GET", "/v2/clusters/shop")).toMatchObject({ spec: { cpu: 4 } });
  const { items } = (await server.call("GET", "/v2/transactions?kind=cluster")) as { items: { message?: string; origin?: string }[] };
  expect(items[0]).toMatchObject({ message: "the sale begins", origin: "changeSet:more-memory" });
  check();
});

test("what is edited in the stored state is staged instead of saved: a change, a deletion, and labels of many", async () => {
  await server.call("POST", "/v2/batch", ["tea", "coffee", "cocoa"].map((name) => ({ kind: "cluster", data: { metadata: { name }, spec: { a: 1 } } })));
  const { page, check } = await open("/ui/explorer?id=cluster/tea&tab=yaml");
  const review = await edit(page, "  cpu: 4\n");
  await review.getByRole("button", { name: "Add to change set" }).click();
  const form = page.getByRole("dialog", { name: "Add to change set" });
  await checkAccess(page);
  expect(await form.getByRole("button", { name: "Stage it" }).isDisabled()).toBe(true);
  await form.getByLabel("Title").fill("Hot drinks");
  await form.getByRole("button", { name: "Stage it" }).click();
  await banner(page).getByText("Hot drinks").waitFor();
  await page.locator(".cm-content", { hasText: "cpu: 4" }).waitFor();
  expect(await server.call("GET", "/v2/clusters/tea")).toMatchObject({ spec: { a: 1 } });
  expect(await page.getByText("edited", { exact: true }).count()).toBe(0);

  await page.goto(`${server.url}/ui/explorer?id=cluster/coffee&tab=yaml`);
  await page.getByRole("button", { name: "Delete" }).click();
  const deletion = page.getByRole("dialog", { name: "Delete coffee?" });
  await deletion.getByRole("button", { name: "Add to change set" }).click();
  await form.getByLabel("Change set").selectOption({ label: "Hot drinks" });
  await form.getByRole("button", { name: "Stage it" }).click();
  await deletion.getByText("The deletion is staged in the change set hot-drinks.").waitFor();
  await deletion.getByRole("button", { name: "Delete", exact: true }).click();
  await banner(page).getByText("Hot drinks").waitFor();

  await page.goto(`${server.url}/ui/explorer?kind=cluster&like=coc`);
  await page.getByRole("checkbox", { name: "Select cocoa" }).check();
  await page.getByRole("button", { name: "Label", exact: true }).click();
  const labels = page.getByRole("dialog", { name: "Label 1 document" });
  await labels.getByLabel("Name of the label").fill("sweet");
  await labels.getByLabel("Value").fill("yes");
  await labels.getByText("1 of 1 documents would change.").waitFor();
  await labels.getByRole("button", { name: "Add to change set" }).click();
  await form.getByLabel("Change set").selectOption({ label: "Hot drinks" });
  await form.getByRole("button", { name: "Stage it" }).click();
  await banner(page).getByRole("link", { name: "Review" }).click();
  await page.getByRole("tab", { name: "Changes (3)" }).waitFor();
  expect(await server.call("GET", "/v2/clusters/coffee")).toMatchObject({ spec: { a: 1 } });
  check();
});

test("documents are created and deleted in it, and one is dropped again", async () => {
  await propose(server, "tidy", "Tidy up");
  const { page, check } = await open("/ui/explorer/new?kind=cluster&changeSet=tidy");
  await page.getByRole("tab", { name: "YAML" }).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("metadata:\n  name: fresh\n");
  await page.getByRole("button", { name: "Stage" }).click();
  await page.getByRole("heading", { name: "fresh", exact: true }).waitFor();
  await page.goto(`${server.url}/ui/explorer?id=cluster/lab&tab=yaml&changeSet=tidy`);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The deletion is staged in the change set tidy.").waitFor();
  await dialog.getByRole("button", { name: "Show what would be deleted with it" }).click();
  await dialog.getByRole("button", { name: "Delete all 3" }).click();
  await banner(page).getByText("4 changes").waitFor();
  await expect(server.call("GET", "/v2/clusters/fresh")).rejects.toThrow("404");
  await server.call("GET", "/v2/clusters/lab");
  await banner(page).getByRole("link", { name: "Review" }).click();
  await page.getByRole("tab", { name: "Changes (4)" }).click();
  await page.getByRole("region", { name: "cluster/lab", exact: true }).getByText("deleted").waitFor();
  await page.getByRole("region", { name: "cluster/fresh" }).getByRole("button", { name: "Drop" }).click();
  await page.getByRole("tab", { name: "Changes (3)" }).waitFor();
  expect((await read("tidy")).operations.map(({ id }) => id)).not.toContain("cluster/fresh");
  check();
});

test("overrides are staged in it, and the menu of the header leads into it and out", async () => {
  await propose(server, "tune", "Tune dev");
  const { page, check } = await open("/ui/overrides?cluster=lab&environment=dev&context=runtime");
  await page.getByRole("button", { name: "View: Stored" }).click();
  await page.getByRole("menuitem", { name: /Tune dev/ }).click();
  await banner(page).getByText("Tune dev").waitFor();
  await page.getByLabel("Name of a new parameter").fill("LOG_LEVEL");
  await page.getByLabel("Its value").fill("debug");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Stage" }).click();
  await page.getByText("Staged.", { exact: true }).waitFor();
  await checkAccess(page);
  await expect(server.call("GET", "/api/ui-override?environmentId=lab/dev&context=runtime")).rejects.toThrow("404");
  await page.getByRole("button", { name: "View: tune" }).click();
  await page.getByRole("menuitem", { name: "Stored", exact: true }).click();
  await page.getByText("Nothing is overridden here yet.").waitFor();
  expect((await read("tune")).total).toBeGreaterThan(0);
  check();
});

test("a value that others changed is a conflict, which a rebase decides", async () => {
  await propose(server, "clash", "Clash", { name: "bank", spec: { memory: "4Gi", cpu: 1 } }, { name: "mill", spec: { memory: "8Gi" } });
  await server.call("PUT", "/v2/clusters/bank", named("bank", { memory: "2Gi" }));
  await server.call("PUT", "/v2/clusters/mill", named("mill", { memory: "2Gi" }));
  const { page, check } = await open("/ui/change-sets?name=clash&tab=checks");
  const table = page.getByRole("table", { name: "Conflicts" });
  const cells = table.getByRole("row").filter({ hasText: "cluster/bank" }).getByRole("cell");
  await cells.nth(3).waitFor();
  expect((await cells.allInnerTexts()).slice(1)).toEqual(["1Gi", "4Gi", "2Gi"]);
  await nextStep(page).getByText("2 values conflict").waitFor();
  expect(await nextStep(page).getByRole("button", { name: "Merge" }).isDisabled()).toBe(true);
  await checkAccess(page);
  await nextStep(page).getByRole("button", { name: "Resolve conflicts" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 conflicts are left to decide.").waitFor();
  await dialog.getByRole("region", { name: /^cluster\/bank/ }).getByRole("radio", { name: /Take the staged value/ }).click();
  expect(await dialog.getByRole("button", { name: "Rebase" }).isDisabled()).toBe(true);
  await dialog.getByRole("region", { name: /^cluster\/mill/ }).getByRole("radio", { name: /Take what is stored now/ }).click();
  await dialog.getByText("The change set can be rebased.").waitFor();
  await checkAccess(page);
  const before = await read("clash");
  await dialog.getByRole("button", { name: "Rebase" }).click();
  await nextStep(page).getByText("All checks passed.").waitFor();
  expect((await read("clash")).base).not.toBe(before.base);
  expect(await server.call("GET", "/v2/clusters/bank?changeSet=clash")).toMatchObject({ spec: { memory: "4Gi", cpu: 1 } });
  expect(await server.call("GET", "/v2/clusters/mill?changeSet=clash")).toMatchObject({ spec: { memory: "2Gi" } });
  check();
});

test("reviews: a comment, a rejection that prevents the merge, an approval", async () => {
  await propose(server, "talk", "Talk", { name: "shop", spec: { talk: 1 } });
  const { page, check } = await open("/ui/change-sets?name=talk");
  const reviews = page.getByRole("list", { name: "Reviews" });
  await page.getByLabel("Comment").fill("почему?");
  await page.getByRole("button", { name: "Comment" }).click();
  await reviews.getByText("почему?").waitFor();
  await page.getByRole("button", { name: "Reject" }).click();
  await nextStep(page).getByText("Rejected by").waitFor();
  await checkAccess(page);
  await page.getByRole("button", { name: "Approve" }).click();
  await nextStep(page).getByText("All checks passed.").waitFor();
  await reviews.getByRole("listitem").nth(2).waitFor(); // read again beside the checks
  expect(await reviews.getByRole("listitem").count()).toBe(3);
  await server.call("PUT", "/v2/clusters/shop?changeSet=talk", named("shop", { talk: 2 }));
  await page.reload();
  await reviews.getByText("before the latest change").first().waitFor();
  check();
});

test("the review is a page of its own: an address leads to it, going back leaves it, and what is typed stays on other tabs and when it is loaded again", async () => {
  await server.call("POST", "/api/change-sets", { name: "addressed", title: "Addressed" });
  await server.call("POST", "/v2/clusters?changeSet=addressed", named("new"));
  const { page, check } = await open("/ui/change-sets?name=addressed&tab=changes");
  await page.getByRole("heading", { name: "Addressed", level: 1 }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.getByRole("tab", { selected: true }).innerText()).toContain("Changes");
  await page.getByRole("tab", { name: "Conversation" }).click();
  const comment = page.getByLabel("Comment", { exact: true });
  await comment.fill("half a thought");
  await page.goBack();
  await page.getByRole("tab", { name: "Changes", selected: true }).waitFor();
  await page.goForward();
  await comment.waitFor();
  expect(await comment.inputValue()).toBe("half a thought");
  await page.reload();
  await comment.waitFor();
  expect(await comment.inputValue()).toBe("half a thought");
  await checkAccess(page);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByRole("listitem").getByText("half a thought").waitFor();
  expect(await comment.inputValue()).toBe("");
  await page.reload();
  await comment.waitFor();
  expect(await comment.inputValue()).toBe("");
  await server.call("DELETE", "/api/change-sets/addressed");
  check();
});

test("the impact is calculated when it is asked for", async () => {
  await propose(server, "reach", "Reach", { name: "shop", spec: { reach: 1 } });
  const { page, check } = await open("/ui/change-sets?name=reach&tab=impact");
  await page.getByRole("button", { name: "Calculate the impact" }).click();
  await page.getByText("Nothing else changes.").waitFor();
  await page.route("**/impact", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ type: "about:blank", title: "", status: 503, code: "unavailable", detail: "too busy" }) }));
  await page.getByRole("button", { name: "Calculate again" }).click();
  await page.getByRole("alert").getByText("too busy").waitFor();
  await checkAccess(page);
  check();
});

/** An environment whose effective set of the pipeline can be calculated, and has a secret. */
const cloudOf = (level: string) => ({ name: "c", maasConfig: {}, vaultConfig: {}, consulConfig: {}, e2eParameters: { LEVEL: level, PASSWORD: "${creds.get('one').password}" } });
const calculable = (name: string, level: string) => ({ metadata: { name }, spec: { tenant: { name: "t", globalE2EParameters: {} }, cloud: cloudOf(level) } });

test("the impact shows which values of effective sets change, and no secret", async () => {
  await server.call("PUT", "/v2/clusters/calc", named("calc"));
  for (const name of ["one", "two"]) {
    await server.call("PUT", `/v2/clusters/calc/environments/${name}`, calculable(name, "info"));
    await server.call("PUT", `/v2/clusters/calc/environments/${name}/credentials/one`, { metadata: { name: "one" }, spec: { type: "usernamePassword", data: { username: "u", password: "hunter2-in-clear" } } });
  }
  await propose(server, "calculated", "Calculated", { name: "shop", spec: {} });
  await server.call("PUT", "/v2/clusters/calc/environments/one?changeSet=calculated", calculable("one", "debug"));
  await server.call("PUT", "/v2/clusters/calc/environments/one/credentials/one?changeSet=calculated", { metadata: { name: "one" }, spec: { type: "usernamePassword", data: { username: "u", password: "hunter3-in-clear" } } });
  await server.call("PUT", "/v2/clusters/calc/environments/two?changeSet=calculated", { ...calculable("two", "info"), metadata: { name: "two", labels: { a: "b" } } });
  const { page, check } = await open("/ui/change-sets?name=calculated&tab=impact");
  await page.getByRole("button", { name: "Calculate the impact" }).click();
  const one = page.getByRole("region", { name: "the effective set of calc/one" });
  await one.getByText("pipeline/parameters.yaml").waitFor();
  await one.getByRole("row", { name: /\/LEVEL.*info.*debug/ }).waitFor();
  await one.getByText("pipeline/credentials.yaml").waitFor();
  await one.getByText("/PASSWORD").waitFor();
  expect(await page.locator("body").innerText()).not.toContain("in-clear");
  await page.getByText("Unchanged: the effective set of calc/two").waitFor();
  await checkAccess(page);
  check();
});

test("it is closed, reopened, edited, and deleted", async () => {
  await propose(server, "idea", "Idea", { name: "shop", spec: { idea: 1 } });
  const { page, check } = await open("/ui/change-sets?name=idea&changeSet=idea");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await nextStep(page).getByText("This change set is closed.").waitFor();
  await banner(page).getByText("nothing can be staged").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  await nextStep(page).getByText("All checks passed.").waitFor();
  await page.getByRole("button", { name: "Edit title and description" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("A better idea");
  await page.getByRole("dialog").getByLabel("Description").fill("Two\nlines");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" }); // which has the same texts
  await page.getByRole("heading", { name: "A better idea" }).waitFor();
  await page.getByText("Two").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the change set" }).click();
  await page.getByRole("heading", { name: "Change sets" }).waitFor();
  await banner(page).waitFor({ state: "detached" });
  await expect(server.call("GET", "/api/change-sets/idea")).rejects.toThrow("404");
  check();
});

test("a merged one is reverted by another, and the list finds all by state and author", async () => {
  await propose(server, "wrong", "A mistake", { name: "mill", spec: { wrong: true } });
  await server.call("POST", "/api/change-sets/wrong/merge");
  const { page, check } = await open("/ui/change-sets?name=wrong");
  await page.getByRole("button", { name: "Revert" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Revert: A mistake" }).waitFor();
  await nextStep(page).getByText("All checks passed.").waitFor();
  await page.getByRole("link", { name: "Change sets" }).last().click();
  const list = page.getByRole("list", { name: "Change sets" });
  await list.getByRole("link", { name: "Revert: A mistake" }).waitFor();
  expect(await list.getByRole("link", { name: "A mistake", exact: true }).count()).toBe(0);
  await page.getByRole("radiogroup", { name: "State" }).getByText("merged").click();
  await list.getByRole("link", { name: "A mistake", exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?state=merged");
  await page.getByLabel("Author").fill("unknown");
  await page.keyboard.press("Enter");
  await page.getByText("No matches.").waitFor();
  await checkAccess(page);
  check();
});

test("an address of one that is not there says so", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/shop&tab=yaml&changeSet=nowhere");
  await banner(page).getByText("There is no such change set.").waitFor();
  await checkAccess(page);
  await page.goto(`${server.url}/ui/change-sets?name=nowhere`);
  await page.getByRole("alert").getByText("There is no such change set.").waitFor();
  check();
});

test("unsaved changes are not left for another view without a question", async () => {
  await propose(server, "ask", "Ask");
  const { page } = await open("/ui/explorer?id=cluster/shop&tab=yaml&changeSet=ask");
  await page.locator(".cm-content").first().click();
  await page.keyboard.insertText("# mine\n");
  const asked = page.waitForEvent("dialog");
  await banner(page).getByRole("button", { name: "Leave" }).click();
  expect((await asked).message()).toContain("not saved");
  await banner(page).waitFor();
  expect(await page.locator(".cm-content").first().innerText()).toContain("# mine");
});

test.each([
  { name: "light, English", scheme: "light", locale: "en" },
  { name: "dark, Russian", scheme: "dark", locale: "ru" },
] as const)("accessible: $name, also in a narrow window", async ({ scheme, locale }) => {
  const name = `look-${locale}`;
  await propose(server, name, "Все изменения для распродажи", { name: "shop", spec: { look: locale } }, { name: "bank", spec: { look: locale } });
  await server.call("PUT", "/v2/clusters/bank", named("bank", { look: "other", of: locale }));
  for (const path of ["/ui/change-sets", `/ui/change-sets?name=${name}`, `/ui/change-sets?name=${name}&tab=changes&changeSet=${name}`, `/ui/change-sets?name=${name}&tab=checks`, `/ui/activity?changeSet=${name}`]) {
    const { page, check } = await open(path, { scheme, locale });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled(page);
    await checkAccess(page);
    await page.setViewportSize({ width: 420, height: 900 });
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
    check();
  }
});

const credential = (name: string, password: string) => ({ metadata: { name }, spec: { type: "usernamePassword", data: { username: "u", password } } });

test("secrets of staged documents are dots until they are asked for", async () => {
  await server.call("POST", "/v2/credentials", credential("keeper", "hunter2"));
  await server.call("POST", "/api/change-sets", { name: "rotate", title: "Rotate" });
  await server.call("PUT", "/v2/credentials/keeper?changeSet=rotate", credential("keeper", "swordfish"));
  await server.call("POST", "/v2/credentials?changeSet=rotate", credential("porter", "xyzzy"));
  const { page, check } = await open("/ui/change-sets?name=rotate&tab=changes");

  for (const view of ["Text", "Values"]) {
    await page.getByRole("radiogroup", { name: "View" }).getByText(view).click();
    await page.getByRole("region", { name: "credential/porter" }).getByText("Secret values are hidden.").waitFor();
    await page.getByRole("region", { name: "credential/porter" }).getByText("••••••••").first().waitFor();
    if (view === "Text") await page.getByRole("region", { name: "credential/keeper" }).getByText("Only secret values differ.").waitFor();
    expect(await page.content()).not.toMatch(/hunter2|swordfish|xyzzy/);
  }
  await checkAccess(page);
  const keeper = page.getByRole("region", { name: "credential/keeper" });
  await keeper.getByRole("button", { name: "Reveal" }).click();
  await keeper.getByText("swordfish").waitFor();
  expect(await page.content()).not.toContain("xyzzy");
  check();
});

test("secrets of what a merged change set created and deleted can be revealed, too", async () => {
  await server.call("POST", "/v2/credentials", credential("gone", "hunter4"));
  await server.call("POST", "/api/change-sets", { name: "replace", title: "Replace" });
  await server.call("DELETE", "/v2/credentials/gone?changeSet=replace");
  await server.call("POST", "/v2/credentials?changeSet=replace", credential("comes", "hunter5"));
  await server.call("POST", "/api/change-sets/replace/merge", {});
  const { page, check } = await open("/ui/change-sets?name=replace&tab=changes");
  for (const [name, password] of [["gone", "hunter4"], ["comes", "hunter5"]]) {
    const region = page.getByRole("region", { name: `credential/${name}` });
    await region.getByRole("button", { name: "Reveal" }).click();
    await region.getByText(password ?? "").waitFor();
  }
  check();
});
