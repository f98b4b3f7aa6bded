import { expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(async (given) => {
  await seed(given);
  await given.call("PUT", "/v2/credentials/robot", { metadata: { name: "robot" }, spec: { type: "secret", data: { secret: "hunter2" } } });
  await given.call("PUT", "/v2/registry-definitions/main", { metadata: { name: "main", labels: { tier: "prod" } }, spec: { credentialsId: "robot", mavenConfig: { targetSnapshot: "s" } } });
  await given.call("PUT", "/v2/app-definitions/app", { metadata: { name: "app" }, spec: { registryName: "main", artifactId: "a" } });
});

test.each([{ scheme: "light" as const }, { scheme: "dark" as const, locale: "ru" as const, phone: true }])("a document opens with what matters of it, without the editor, by the keyboard alone, accessibly: %o", async (look) => {
  const ru = "locale" in look;
  const { page, check } = await open("/ui/explorer?id=registryDefinition/main", look);
  const part = (en: string, russian: string) => page.getByRole("tabpanel").getByRole("region", { name: ru ? russian : en, exact: true });
  await part("Values", "Значения").getByRole("row", { name: "credentialsId robot" }).waitFor();
  await part("Refers to", "Ссылается на").getByRole("link", { name: "credential/robot" }).waitFor();
  await part("Used by", "Кем используется").getByRole("link", { name: "appDefinition/app" }).waitFor();
  await settled(page);
  await checkAccess(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(ru ? 390 : 1400);
  expect(await page.locator(".cm-content").count()).toBe(0);
  await part("Labels", "Метки").getByRole("link", { name: "tier=prod" }).press("Enter");
  await page.getByRole("link", { name: "main", exact: true }).press("Enter");
  await page.getByRole("tab", { name: "API" }).press("Enter");
  await page.getByRole("region", { name: "kubectl" }).getByText("kubectl get registrydefinition.inventory.dovetail.dev main -o yaml").waitFor();
  await page.getByRole("region", { name: "dovetail" }).getByText(`dovetail get registryDefinition/main -o yaml --server ${server.url}`).waitFor();
  await checkAccess(page);
  check();
});

test("the kinds below a document have their numbers, and lead to their tables", async () => {
  const { page, check } = await open("/ui/explorer?id=cluster/cluster-01");
  const children = page.getByRole("tabpanel").getByRole("region", { name: "Children" });
  await expect.poll(() => children.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/^environment\s*1$/)]);
  await children.getByRole("link", { name: "environment" }).click();
  await page.getByRole("link", { name: "env-01" }).waitFor();
  check();
});

test("secrets are dots in the overview", async () => {
  const { page, check } = await open("/ui/explorer?id=credential/robot");
  await page.getByRole("row", { name: /type secret/ }).waitFor();
  expect(await page.getByRole("tabpanel").innerText()).not.toContain("hunter2");
  check();
});

test("what the last scrub found wrong is said at the document", async () => {
  const { page, check } = await open("/ui/nowhere");
  await page.route("**/v2/scrub", (route) => route.fulfill({ contentType: "application/json", body: JSON.stringify({ scrubbed: new Date().toISOString(), findings: [{ problem: "broken-rule", id: "credential/robot", message: "credential/robot: the owner is missing" }] }) }));
  await page.goto(`${server.url}/ui/explorer?id=credential/robot`);
  await page.getByRole("tabpanel").getByText("the owner is missing").waitFor();
  await checkAccess(page);
  check();
});
