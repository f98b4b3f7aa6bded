import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkAccess } from "./browser";
import { repository, type Server } from "./server";
import { stage } from "./stage";

/** Stores documents of the ref-schema of another product. */
async function prepare({ url, call }: Server) {
  await call("POST", "/v2/projects", { metadata: { name: "p1" } });
  await call("POST", "/v2/projects/p1/composite-apps", { metadata: { name: "shop" }, spec: { compositeAppVersion: "v1" } });
  const form = new FormData();
  form.set("metadata", new Blob([JSON.stringify({ metadata: { name: "nginx" } })], { type: "application/json" }));
  form.set("file", new Blob(["a chart"]), "nginx.tgz");
  const response = await fetch(`${url}/v2/projects/p1/composite-apps/shop/v1/apps`, { method: "POST", body: form });
  expect(response.status).toBe(201);
}

/** With that ref-schema: kinds with files, with two elements in a key, and with fixed ones. */
const { server, open } = stage(prepare, "--ref-schemas", `${repository}/ref-schemas/examples/emco`);

test("the page works with another ref-schema: files, and kinds of two elements", async () => {
  const { page, check } = await open("/ui/explorer?id=project/p1/compositeApp/shop/compositeAppVersion/v1/app/nginx&tab=files");
  await page.getByRole("heading", { name: "nginx", exact: true }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "nginx.tgz" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("nginx.tgz");
  expect(readFileSync(await saved.path(), "utf8")).toBe("a chart");
  await checkAccess(page);
  await page.getByRole("link", { name: "shop / v1", exact: true }).first().click();
  await page.getByRole("heading", { name: "shop / v1", exact: true }).waitFor();
  await page.getByRole("button", { name: "New", exact: true }).last().click();
  await page.getByRole("menuitem", { name: "New app", exact: true }).click();
  await page.getByRole("textbox", { name: "name", exact: true }).fill("redis");
  await page.locator('input[type="file"]').setInputFiles({ name: "redis.tgz", mimeType: "application/gzip", buffer: Buffer.from("another chart") });
  await page.getByText("The server found no errors.").waitFor();
  await checkAccess(page);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "redis", exact: true }).waitFor();
  const stored = await fetch(`${server.url}/v2/projects/p1/composite-apps/shop/v1/apps/redis/content/file`);
  expect(await stored.text()).toBe("another chart");
  check();
});

test("the picture of many kinds is whole", async () => {
  const { page, check } = await open("/ui/schema");
  const { kinds } = (await server.call("GET", "/v2/schema")) as { kinds: unknown[] };
  await page.waitForFunction((count) => document.querySelectorAll(".react-flow__node").length === count, kinds.length);
  check();
});
