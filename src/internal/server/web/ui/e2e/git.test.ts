import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkAccess } from "./browser";
import { repository } from "./server";
import { stage } from "./stage";

/** The sample in Git, with a clone in which another user works. */
const folder = mkdtempSync(join(tmpdir(), "dovetail-e2e-git-"));
const clone = join(folder, "clone");
const remote = join(folder, "remote.git");
const git = (...args: string[]) =>
  execFileSync("git", ["-C", clone, "-c", "user.name=Other", "-c", "user.email=other@example.com", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

cpSync(`${repository}/src/internal/git/instancerepo/testdata/sample`, clone, { recursive: true });
git("init", "-q", "-b", "main");
git("add", "-A");
git("commit", "-qm", "first");
execFileSync("git", ["clone", "-q", "--bare", clone, remote]);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The server looks at the repository by itself so seldom that it is the save that meets the push.
const { server, open } = stage(undefined, "--instance-repo", remote, "--instance-repo-clone", join(folder, "server.git"), "--instance-repo-interval", "1h", "--instance-repo-commit-url", "https://git.example.com/ops/instances/commit/{commit}");

/** The commit that the change set is proposed as. */
const commit = () => execFileSync("git", ["-C", remote, "rev-parse", "change-set/bigger"], { encoding: "utf8" }).trim();

test("a change set is proposed as a branch, updated, and its commit shown", async () => {
  const set = { metadata: { name: "made-here" }, spec: { parameters: { size: 3 }, applications: [] } };
  await server.call("POST", "/api/change-sets", { name: "bigger", title: "More copies" });
  await server.call("PUT", "/v2/param-sets/made-here?changeSet=bigger", set);
  const { page, check } = await open("/ui/change-sets?name=bigger");
  const request = page.getByRole("region", { name: "Merge request" });
  await request.getByRole("button", { name: "Propose as branch" }).click();
  await request.getByText("The branch has all changes.").waitFor();
  const first = commit();
  await request.getByTitle(first).waitFor();
  await request.getByText("change-set/bigger").waitFor();
  await checkAccess(page);

  await server.call("PUT", "/v2/param-sets/made-here?changeSet=bigger", { ...set, spec: { ...set.spec, parameters: { size: 5 } } });
  await page.reload();
  await request.getByText("Update it.").waitFor();
  await request.getByRole("button", { name: "Update the branch" }).click();
  await request.getByText("The branch has all changes.").waitFor();
  expect(commit()).not.toBe(first);
  await request.getByTitle(commit()).waitFor();
  check();
  await server.call("POST", "/api/change-sets/bigger/close");
});

test("a save that meets a push: what was pushed is shown, and both together are saved as a commit", async () => {
  const place = "environmentId=cluster-01/pl-01&context=pipeline";
  await server.call("POST", `/api/ui-override?${place}`, { parameters: { A: "old", B: "old" } });
  const { page, check } = await open("/ui/overrides?cluster=cluster-01&environment=pl-01&context=pipeline");
  await page.getByLabel("Value of A").fill("mine");
  await page.getByLabel("Value of A").press("Enter");

  git("pull", "-q", remote, "main");
  const file = join(clone, "environments/cluster-01/pl-01/Inventory/parameters/pipeline-ui-override.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("B: old", "B: pushed"));
  git("commit", "-qam", "theirs");
  git("push", "-q", remote, "main");

  await page.getByLabel("Comment").fill("together");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Merge both" }).click();
  expect(await page.getByLabel("Value of A").inputValue()).toBe("mine");
  expect(await page.getByLabel("Value of B").inputValue()).toBe("pushed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();

  git("pull", "-q", remote, "main");
  expect(readFileSync(file, "utf8")).toMatch(/A: mine\n {2}B: pushed/);
  expect(git("log", "-2", "--format=%s").trim().split("\n")).toEqual(["together", "theirs"]);
  check();
});

test("a commit leads to its page at the Git host, in the workbench and in the history", async () => {
  const place = "environmentId=cluster-01/pl-01&context=runtime";
  const { version } = (await server.call("POST", `/api/ui-override?${place}`, { parameters: { A: 1 }, commitMessage: "to be found" })) as { version: string };
  const { page, check } = await open("/ui/overrides?cluster=cluster-01&environment=pl-01&context=runtime");
  const link = page.getByRole("link", { name: `Commit ${version.slice(0, 10)} at the Git host` });
  expect(await link.getAttribute("href")).toBe(`https://git.example.com/ops/instances/commit/${version}`);
  expect(await link.getAttribute("rel")).toContain("noopener");
  await checkAccess(page);
  await page.goto(`${server.url}/ui/explorer?id=cluster/cluster-01/environment/pl-01/environmentParamSet/runtime-ui-override&tab=history`);
  await page.getByText("to be found").waitFor();
  expect(await link.getAttribute("href")).toBe(`https://git.example.com/ops/instances/commit/${version}`);
  await checkAccess(page);
  check();
});
