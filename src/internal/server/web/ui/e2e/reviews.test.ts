import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { stage } from "./stage";

const tokenOf = (user: string) => `dovetail_${user.padEnd(43, "A")}`;
const as = (user: string) => ({ Authorization: `Bearer ${tokenOf(user)}` });
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-reviews-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const access = join(folder, "access.yaml");
writeFileSync(access, JSON.stringify({
  bindings: [{ role: "editor", users: ["root", "ann", "bob"] }],
  protect: [{ on: ["cluster/prod"], approvals: 1, by: ["user:ann"] }],
  tokens: ["root", "ann", "bob"].map((name) => ({ name, groups: [], sha256: createHash("sha256").update(tokenOf(name)).digest("hex"), expires: "2099-01-01" })),
}));

const { server, open } = stage(async ({ call }) => {
  const write = (method: string, path: string, body?: unknown, user = "root") => call(method, path, body, as(user));
  for (const [name, title, cluster, user] of [["prod-memory", "More memory in production", "prod", "root"], ["test-memory", "More memory for tests", "test", "root"], ["of-bob", "A cluster of Bob", "lab", "bob"]] as const) {
    await write("POST", "/api/change-sets", { name, title }, user);
    await write("PUT", `/v2/clusters/${cluster}?changeSet=${name}`, { metadata: { name: cluster } }, user);
  }
}, "--access", access);

/** Opens Home as a user. */
async function homeOf(user: string) {
  const opened = await open("/ui/nowhere");
  await opened.page.evaluate((token) => sessionStorage.setItem("dovetail-token", token), tokenOf(user));
  await opened.page.goto(`${server.url}/ui/`);
  const panel = opened.page.getByRole("region", { name: "Open change sets" });
  const titles = (group: string) => panel.getByRole("list", { name: group }).getByRole("link").allInnerTexts();
  return { ...opened, panel, titles };
}

test("what is to review is what one's own approval is missing of, and nothing else", async () => {
  const ann = await homeOf("ann");
  await expect.poll(() => ann.titles("To review")).toEqual(["A cluster of Bob", "More memory in production", "More memory for tests"]);
  expect(await ann.panel.getByRole("list", { name: "Mine" }).count()).toBe(0);
  await settled(ann.page);
  await checkAccess(ann.page);
  ann.check();

  const bob = await homeOf("bob");
  await expect.poll(() => bob.titles("To review")).toEqual(["More memory for tests"]); // whose approval does not count for cluster/prod
  expect(await bob.titles("Mine")).toEqual(["A cluster of Bob"]);
  expect(await bob.titles("Others")).toEqual(["More memory in production"]);
  bob.check();
});

test("an approval takes a change set off the list of those who need not approve it any more, by itself", async () => {
  const ann = await homeOf("ann");
  await expect.poll(() => ann.titles("To review")).toContain("More memory in production");
  await server.call("POST", "/api/change-sets/prod-memory/reviews", { decision: "approve" }, as("ann"));
  await expect.poll(() => ann.titles("To review")).toEqual(["A cluster of Bob", "More memory for tests"]);
  expect(await ann.titles("Others")).toEqual(["More memory in production"]);
  ann.check();
});
