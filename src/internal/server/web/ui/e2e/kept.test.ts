import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccess } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(seed);

/** Writes at the end of the YAML of a document. */
async function write(page: Page, text: string) {
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
}

const restored = "This is your input from before the page was loaded again. It is not saved yet.";

test("what is typed is there after the page is loaded again, and merged with what others saved meanwhile", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/cluster-01&tab=yaml");
  await write(page, "spec:\n  size: 3\n");
  await page.getByText("edited", { exact: true }).waitFor();
  await server.call("PATCH", "/v2/clusters/cluster-01", { metadata: { labels: { tier: "test" } } }, { "Content-Type": "application/merge-patch+json" });
  await page.reload();
  await page.getByText(restored).waitFor();
  await page.locator(".cm-line", { hasText: "size: 3" }).waitFor();
  await checkAccess(page);
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByText("Another user has saved this document").waitFor();
  await page.getByRole("button", { name: "Save the result" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await server.call("GET", "/v2/clusters/cluster-01")).toMatchObject({ metadata: { labels: { tier: "test" } }, spec: { size: 3 } });
  await page.reload();
  await page.locator(".cm-line", { hasText: "size: 3" }).waitFor();
  expect(await page.getByText(restored).count()).toBe(0);
  check();
});

test("it is of one document and one view, and goes when it is discarded", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/cluster-02&tab=yaml");
  await write(page, "spec: {size: 9}\n");
  await page.getByText("edited", { exact: true }).waitFor();
  await page.goto(`${server.url}/ui/explorer?id=cluster/cluster-01&tab=yaml`);
  await page.locator(".cm-content", { hasText: "cluster-01" }).waitFor();
  expect(await page.getByText(restored).count()).toBe(0);
  await page.goto(`${server.url}/ui/explorer?id=cluster/cluster-02&tab=yaml`);
  await page.getByText(restored).waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.reload();
  await page.locator(".cm-content", { hasText: "cluster-02" }).waitFor();
  expect(await page.getByText(restored).count()).toBe(0);
  check();
});

test("secrets are not kept", async () => {
  const { page, check } = await open("/ui/explorer?id=credential/reader&tab=yaml");
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.locator(".cm-content[aria-readonly=false]").waitFor();
  await write(page, "# a secret\n");
  await page.getByText("edited", { exact: true }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain("a secret");
  check();
});

test("a document that is being created is there, too, until it is created", async () => {
  const { page, check } = await open("/ui/explorer/new?kind=cluster");
  const name = () => page.locator("#content").getByRole("textbox", { name: "name", exact: true });
  await name().fill("kept");
  await page.reload();
  await name().waitFor();
  expect(await name().inputValue()).toBe("kept");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "kept", exact: true }).waitFor();
  await page.goto(`${server.url}/ui/explorer/new?kind=cluster`);
  await name().waitFor();
  expect(await name().inputValue()).toBe("");
  check();
});
