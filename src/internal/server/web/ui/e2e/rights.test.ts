import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { named, nextStep } from "./proposals";
import { seed } from "./seed";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const as = (user: string) => ({ Authorization: `Bearer ${tokenOf(user)}` });
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-rights-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const access = join(folder, "access.yaml");
writeFileSync(access, JSON.stringify({
  roles: [
    { name: "changer", rules: [{ kinds: ["environmentParamSet"], verbs: ["update"] }] },
    { name: "of-clusters", rules: [{ kinds: ["changeSet", "changeSetOperation"], verbs: ["read", "update"] }, { kinds: ["cluster"], verbs: ["read"] }] },
  ],
  bindings: [
    { role: "editor", users: ["root"] }, { role: "viewer", users: ["ann", "bob"] }, { role: "changer", users: ["bob"] },
    { role: "of-clusters", users: ["carol"], on: ["changeSet/more", "cluster/cluster-01"] },
  ],
  protect: [{ on: ["cluster/cluster-01/environment/env-01/environmentParamSet/core-deploy-ui-override"], approvals: 2, by: ["managers"], message: "ask the release team" }],
  tokens: ["root", "ann", "bob", "carol"].map((name) => ({ name, groups: [], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
}));

const place = "environmentId=cluster-01/env-01&context=deploy";
const { server, open } = stage(async (made) => {
  const call: typeof made.call = (method, path, body, headers = {}) => made.call(method, path, body, { ...as("root"), ...headers });
  await seed({ ...made, call });
  await call("POST", `/api/ui-override?${place}`, { parameters: { REPLICAS: 3 } });
  await call("POST", "/api/change-sets", { name: "more", title: "More of both" });
  for (const name of ["cluster-01", "cluster-02"]) await call("PUT", `/v2/clusters/${name}?changeSet=more`, named(name, { memory: "8Gi" }));
}, "--access", access);

/** Opens a page as a user. */
async function openAs(user: string, path: string) {
  const opened = await open("/ui/nowhere");
  await opened.page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf(user));
  await opened.page.goto(server.url + path);
  return opened;
}

/** Expects that a button can be reached, says why it does nothing, and does nothing. */
async function refused(button: Locator, reason: string): Promise<void> {
  await expect.poll(() => button.getAttribute("aria-description")).toBe(reason);
  expect(await button.getAttribute("aria-disabled")).toBe("true");
  await button.press("Enter");
  expect(await button.page().getByRole("dialog").count()).toBe(0);
}

const overrides = "/ui/overrides?cluster=cluster-01&environment=env-01";

test("one who may only read an override can neither save, delete nor move it, and reads why", async () => {
  const { page, check } = await openAs("ann", overrides);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await refused(button("Save"), "You may not change this override.");
  await refused(button("Delete the override"), "You may not delete this override.");
  await refused(button("Move to a ParamSet"), "You may not change this override.");
  await page.getByLabel("Name of a new parameter").fill("X");
  await page.getByLabel("Its value").fill("1");
  await button("Add").click();
  await refused(button("Save"), "You may not change this override.");
  expect(await button("Add to change set").isDisabled()).toBe(true);
  await settled(page);
  await checkAccess(page);
  check();
});

test("one who may change ParamSets changes an override that is there, but makes and deletes none", async () => {
  const { page, check } = await openAs("bob", overrides);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await refused(button("Delete the override"), "You may not delete this override.");
  const value = page.getByRole("textbox", { name: "Value of REPLICAS", exact: true });
  await value.fill("5");
  await value.press("Tab");
  expect(await button("Save").getAttribute("aria-disabled")).toBe(null);
  await button("Save").click();
  await expect.poll(() => server.call("GET", `/api/ui-override?${place}`, undefined, as("root"))).toMatchObject({ parameters: { REPLICAS: 5 } });
  await page.goto(`${server.url}${overrides}&level=namespace&namespace=env-01-core`);
  await page.getByText("Nothing is overridden here yet.").waitFor();
  await refused(button("Save"), "You may not change this override.");
  check();
});

test("an override that a protection covers can be saved in a change set only, and says which one", async () => {
  const { page, check } = await openAs("root", `${overrides}&level=namespace&namespace=env-01-core`);
  await page.getByText("Nothing is overridden here yet.").waitFor();
  const save = page.getByRole("button", { name: "Save", exact: true });
  await refused(save, "cluster/cluster-01/environment/env-01/environmentParamSet/core-deploy-ui-override is protected: it changes only through a change set with 2 approvals. These count: managers. ask the release team");
  await page.getByLabel("Name of a new parameter").fill("X");
  await page.getByLabel("Its value").fill("1");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("button", { name: "Add to change set" }).click();
  await page.getByRole("combobox", { name: "Change set" }).selectOption("more");
  await settled(page);
  await checkAccess(page);
  await page.getByRole("button", { name: "Stage", exact: true }).or(page.getByRole("button", { name: "Stage it" })).click();
  await page.getByText("These parameters are overridden here.").waitFor();
  expect(new URL(page.url()).searchParams.get("changeSet")).toBe("more");
  await expect.poll(() => save.count()).toBe(0); // it is called Stage here, and allowed
  expect(await page.getByRole("button", { name: "Stage", exact: true }).getAttribute("aria-description")).toBeNull();
  check();
});

test("one who may only read a change set can do nothing with it, and reads why", async () => {
  const { page, check } = await openAs("ann", "/ui/change-sets?name=more");
  const reason = "You may not change this change set.";
  await refused(nextStep(page).getByRole("button", { name: "Merge" }), reason);
  await refused(nextStep(page).getByRole("button", { name: "Rebase" }), reason);
  for (const name of ["Comment", "Approve", "Reject", "Edit title and description", "Close"]) await refused(page.getByRole("button", { name, exact: true }), reason);
  await refused(page.getByRole("button", { name: "Delete", exact: true }), "You may not delete this change set.");
  await settled(page);
  await checkAccess(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
  await checkAccess(page);
  check();
});

test("one who may not read all that is staged can review it, but not rebase it", async () => {
  const { page, check } = await openAs("carol", "/ui/change-sets?name=more");
  await refused(nextStep(page).getByRole("button", { name: "Rebase" }), "You may not rebase it: documents that you may not read are staged in it.");
  const approve = page.getByRole("button", { name: "Approve" });
  expect(await approve.getAttribute("aria-disabled")).toBe(null);
  await approve.click();
  await nextStep(page).getByText("carol: approved").waitFor();
  check();
});
