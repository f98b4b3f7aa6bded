import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { banner, edit, named, nextStep } from "./proposals";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const as = (user: string) => ({ Authorization: `Bearer ${tokenOf(user)}` });
const folder = mkdtempSync(join(tmpdir(), "dovetail-access-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const access = join(folder, "access.yaml");
writeFileSync(access, JSON.stringify({
  roles: [{ name: "reviewer", rules: [{ kinds: ["changeSet"], verbs: ["read", "update"] }, { kinds: ["cluster"], verbs: ["read"] }] }],
  bindings: [{ role: "editor", users: ["alice", "bob"] }, { role: "viewer", users: ["bob"] }, { role: "reviewer", users: ["carol"], on: ["changeSet/both", "cluster/open"] }],
  tokens: ["alice", "bob", "carol"].map((name) => ({ name, groups: [], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
  protect: [{ on: ["cluster/prod"], approvals: 1, message: "see the release calendar" }],
}));
const { server, open } = stage(async ({ call }) => {
  await call("POST", "/v2/clusters", named("open", { memory: "1Gi" }), as("alice"));
  await call("POST", "/api/change-sets", { name: "first", title: "The first of prod" }, as("alice"));
  await call("POST", "/v2/clusters?changeSet=first", named("prod", { memory: "1Gi" }), as("alice"));
  await call("POST", "/api/change-sets/first/reviews", { decision: "approve" }, as("bob"));
  await call("POST", "/api/change-sets/first/merge", {}, as("alice"));
}, "--access", access);

/** Expects that a button can be reached, and says which protection forbids what it does. */
async function refused(button: Locator): Promise<void> {
  await expect.poll(() => button.getAttribute("aria-description")).toBe(reason);
  await button.press("Enter");
  expect(await button.getAttribute("aria-disabled")).toBe("true");
}

/** Opens a page as a user. */
async function openAs(user: string, path: string) {
  const opened = await open("/ui/nowhere");
  await opened.page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf(user));
  await opened.page.goto(server.url + path);
  return opened;
}

const reason = "cluster/prod is protected: it changes only through a change set with 1 approval. see the release calendar";

test("a save that a protection forbids says which one, is staged instead, approved by another user, and merged", async () => {
  const { page, check } = await openAs("alice", "/ui/explorer?id=cluster/prod&tab=yaml");
  const dialog = await edit(page, "  cpu: 4\n");
  await refused(dialog.getByRole("button", { name: "Save", exact: true }));
  await dialog.getByRole("button", { name: "Add to change set" }).click();
  await settled(page);
  await checkAccess(page);
  await page.getByLabel("Title").fill("More for prod");
  await page.getByRole("button", { name: "Stage it" }).click();
  await banner(page).getByText("More for prod").waitFor();
  await page.locator(".cm-content", { hasText: "cpu: 4" }).waitFor();
  await banner(page).getByRole("link", { name: "Review" }).click();
  await nextStep(page).getByText("1 approval is missing.").waitFor();
  await nextStep(page).getByRole("button", { name: "Show checks" }).click();
  await page.getByRole("region", { name: "Approvals" }).getByText("needs 1 approval").waitFor();
  await page.getByRole("region", { name: "Approvals" }).getByText("see the release calendar").waitFor();
  await checkAccess(page);
  const other = await openAs("bob", new URL(page.url()).pathname + "?name=more-for-prod");
  await other.page.getByRole("button", { name: "Approve" }).click();
  await nextStep(other.page).getByText("All checks passed.").waitFor();
  await nextStep(other.page).getByRole("button", { name: "Merge" }).click();
  await other.page.getByRole("dialog").getByText("would be updated").waitFor();
  await other.page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await nextStep(other.page).getByText("This change set is merged.").waitFor();
  expect(await server.call("GET", "/v2/clusters/prod", undefined, as("alice"))).toMatchObject({ spec: { cpu: 4 } });
  check();
  other.check();
});

test("a deletion that is protected is staged in one that is open", async () => {
  await server.call("POST", "/api/change-sets", { name: "close-prod", title: "Close prod" }, as("alice"));
  const { page, check } = await openAs("alice", "/ui/explorer?id=cluster/prod&tab=yaml");
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This needs a change set").waitFor();
  await refused(dialog.getByRole("button", { name: "Delete", exact: true }));
  await dialog.getByRole("combobox", { name: "Change set" }).selectOption("close-prod");
  await dialog.getByRole("button", { name: "Stage it" }).click();
  await dialog.getByText("The deletion is staged in the change set close-prod.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await banner(page).getByText("1 change").waitFor();
  await server.call("GET", "/v2/clusters/prod", undefined, as("alice"));
  check();
});

test("what is below or beside a protection is changed at once, and a new document that one covers is not", async () => {
  const { page, check } = await openAs("alice", "/ui/explorer?id=cluster/open&tab=yaml");
  const dialog = await edit(page, "  cpu: 2\n");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  await page.goto(`${server.url}/ui/explorer/new?kind=cluster`);
  await page.getByRole("tab", { name: "YAML" }).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("metadata:\n  name: prod\nspec: {}\n");
  await refused(page.getByRole("button", { name: "Create", exact: true }));
  check();
});

test("documents that the reader may not read are counted, in words", async () => {
  await server.call("POST", "/api/change-sets", { name: "both", title: "Both" }, as("alice"));
  for (const name of ["prod", "open"]) await server.call("PUT", `/v2/clusters/${name}?changeSet=both`, named(name, { both: true }), as("alice"));
  const { page, check } = await openAs("carol", "/ui/change-sets?name=both&tab=changes");
  await page.getByText("1 more document is staged that you may not read.").waitFor();
  await page.getByRole("region", { name: "cluster/open" }).waitFor();
  await nextStep(page).getByText("You may not merge it: 1 document that you may not read is staged in it.").waitFor();
  expect(await page.getByText("cluster/prod").count()).toBe(0);
  await checkAccess(page);
  check();
});

test("a change of another user is shown with the name while the document is open", async () => {
  const { page, check } = await openAs("bob", "/ui/explorer?id=cluster/open&tab=yaml");
  await page.locator(".cm-content").waitFor();
  await settled(page);
  await server.call("PUT", "/v2/clusters/open", named("open", { memory: "8Gi" }), as("alice"));
  await page.getByText(/Changed by alice \d+ sec\. ago/).waitFor();
  check();
});
