import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { deltaText, seed, seedDescriptor } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(async (started) => {
  await seed(started);
  await seedDescriptor(started);
});
const full = "/api/sd?environmentId=cluster-01/env-01&kind=full";

describe("solution descriptors", () => {
  test("the full one of an environment, with the order of its chunks", async () => {
    const { page, check } = await open("/ui/descriptors");
    await page.getByRole("combobox", { name: "Environment" }).fill("cluster-01/");
    await page.getByRole("option", { name: "cluster-01/env-01" }).click();
    const chunks = page.getByRole("region", { name: "Deploy order" }).locator("ol > li");
    await chunks.first().waitFor();
    expect(await chunks.allInnerTexts()).toEqual(["1. infrastructure \npostgres\nkafka", "2. applications \nbilling-api", "3. observability \ngrafana"].map((text) => expect.stringMatching(new RegExp(text.replaceAll(/\s+/g, "\\s+")))));
    await page.getByRole("row", { name: "postgres 1.32.6 core" }).waitFor();
    expect(new URL(page.url()).search).toBe("?environment=cluster-01/env-01");
    check();
  });

  test("a delta: preview with marks, nothing stored, then apply", async () => {
    const { page, check } = await open("/ui/descriptors?environment=cluster-01/env-01&tab=merge");
    await page.locator('input[type="file"]').setInputFiles({ name: "delta.yaml", mimeType: "text/yaml", buffer: Buffer.from(deltaText) });
    await page.locator(".cm-content", { hasText: "billing-ui:1.0.0" }).waitFor();
    await page.getByLabel("Mode").selectOption("extended-merge");
    expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Preview" }).click();
    const changes = page.getByRole("region", { name: "In the full descriptor" });
    await changes.getByRole("row", { name: /changed.*postgres/ }).first().waitFor();
    await changes.getByRole("row", { name: /added.*billing-ui/ }).first().waitFor();
    await changes.locator('[data-mark="added"]', { hasText: "billing-ui" }).waitFor();
    await checkAccess(page);
    expect(JSON.stringify(await server.call("GET", full))).toContain("postgres:1.32.6");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Applied.").waitFor();
    expect(JSON.stringify(await server.call("GET", full))).toContain("postgres:1.33.0");
    await page.getByRole("tab", { name: "Full" }).click();
    await page.getByRole("row", { name: "billing-ui 1.0.0" }).waitFor();
    check();
  });

  test("what is wrong with a delta is marked where it is", async () => {
    const { page, check } = await open("/ui/descriptors?environment=cluster-01/env-01&tab=merge");
    await page.locator(".cm-content").click();
    await page.keyboard.insertText("applications:\n- version: postgres\n  deployPostfix: core\n");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("alert").getByText("SD_INVALID_APPLICATION").waitFor();
    await page.locator(".cm-lintRange-error", { hasText: "postgres" }).waitFor();
    await checkAccess(page);
    check();
  });

  test("a new application in basic-exclusion-merge is a warning, others are removed", async () => {
    const { page, check } = await open("/ui/descriptors?environment=cluster-01/env-01&tab=merge");
    await page.locator(".cm-content").click();
    await page.keyboard.insertText("applications:\n- version: brand-new:1\n  deployPostfix: core\n- version: grafana:11.0.0\n  deployPostfix: monitoring\n");
    await page.getByLabel("Mode").selectOption("basic-exclusion-merge");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("SD_NEW_APPLICATION_IGNORED").waitFor();
    await page.getByRole("row", { name: /removed.*grafana/ }).first().waitFor();
    check();
  });

  test("hostile names are text, never HTML", async () => {
    const { page, check } = await open("/ui/descriptors?environment=cluster-01/env-01&tab=merge");
    await page.locator(".cm-content").click();
    await page.keyboard.insertText(`applications:\n- version: "<img src=x onerror=alert(1)>:<script>alert(2)</script>"\n  deployPostfix: "<svg/onload=alert(3)>"\n`);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("row", { name: /added.*<img src=x/ }).first().waitFor();
    expect(await page.locator("#content").locator("script, iframe, img, [onerror], [onload]").count()).toBe(0);
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en" },
    { name: "dark, Russian", scheme: "dark", locale: "ru" },
  ] as const)("accessible: $name", async ({ scheme, locale }) => {
    for (const tab of ["", "&tab=delta", "&tab=merge"]) {
      const { page, check } = await open(`/ui/descriptors?environment=cluster-01/env-01${tab}`, { scheme, locale });
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      await checkAccess(page);
      check();
    }
  });
});
