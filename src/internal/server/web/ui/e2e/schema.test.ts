import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed } from "./seed";
import { stage } from "./stage";

const { open } = stage(seed);

describe("the schema", () => {
  test("a picture of the kinds; Enter on one explains it", async () => {
    const { page, check } = await open("/ui/schema");
    const box = page.locator('[data-id="registryDefinition"]');
    await box.focus();
    await page.keyboard.press("Enter");
    const words = page.getByRole("region", { name: "Explain" });
    await words.getByRole("heading", { name: "registryDefinition" }).waitFor();
    expect(new URL(page.url()).search).toBe("?kind=registryDefinition");
    await words.getByText("/v2/registry-definitions").waitFor();
    await words.getByText("spec.mavenConfig.repositoryDomainName").waitFor();
    await words.getByRole("link", { name: "appDefinition" }).click();
    await words.getByRole("heading", { name: "appDefinition" }).waitFor();
    await words.getByRole("link", { name: "Show its documents" }).click();
    await page.getByRole("link", { name: "postgres", exact: true }).waitFor();
    check();
  });

  test("the impact of another schema", async () => {
    const { page, check } = await open("/ui/schema?tab=impact");
    await page.getByRole("button", { name: "Show the impact" }).click();
    await page.getByText("All stored documents are valid under it.").waitFor();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("resources:\n  - name: cluster\n  - name: credential\n  - name: registryDefinition\n");
    await page.getByRole("button", { name: "Show the impact" }).click();
    const impact = page.getByRole("region", { name: "Impact of a change" });
    await impact.getByRole("link", { name: "appDefinition/postgres" }).waitFor();
    await checkAccess(page);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("resources:\n  - name: a\n    parent: nowhere\n");
    await page.getByRole("button", { name: "Show the impact" }).click();
    await page.getByRole("alert").getByText("nowhere").first().waitFor();
    await page.locator(".cm-lintRange-error").first().waitFor();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("button", { name: "Show the impact" }).click();
    await page.getByText("All stored documents are valid under it.").waitFor();
    check();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru" },
    { name: "dark, English", scheme: "dark", locale: "en" },
  ] as const)("accessible: $name", async ({ scheme, locale }) => {
    for (const path of ["/ui/schema?kind=solutionDescriptor", "/ui/schema?tab=impact"]) {
      const { page, check } = await open(path, { scheme, locale });
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      await checkAccess(page);
      check();
    }
  });
});
