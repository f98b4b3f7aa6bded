import { describe, expect, test } from "vitest";
import { seedSample } from "./seed";
import { stage } from "./stage";

const { open } = stage(seedSample);

describe("the sample instance repository", () => {
  test("explorer: from the hierarchy to a document, its parents and its graph", async () => {
    const { page, check } = await open("/ui/explorer");
    for (const name of ["cluster", "cluster-01", "environment", "pl-01", "deployPostfix"]) {
      await page.getByRole("treeitem", { name, exact: true }).first().focus();
      await page.keyboard.press("ArrowRight");
    }
    await page.getByRole("treeitem", { name: "pg", exact: true }).getByText("pg").click();
    await page.getByRole("heading", { name: "pg" }).waitFor();
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content", { hasText: "namespace: pl-01-pg" }).waitFor();
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.locator('[data-id="cluster/cluster-01/environment/pl-01"]').waitFor();
    expect(new URL(page.url()).search).toBe("?id=cluster/cluster-01/environment/pl-01/deployPostfix/pg&tab=graph");
    check();
  });

  test("explorer: a ParamSet that environments use is not deleted", async () => {
    const { page, check } = await open("/ui/explorer?id=siteParamSet/prod-shared&tab=links");
    await page.getByRole("region", { name: "Used by" }).getByRole("link").first().waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText(/depends? on it:/).waitFor();
    expect(await page.getByRole("dialog").getByRole("link").first().innerText()).toMatch(/^cluster\/.*\/paramSetAssociation\//);
    check();
  });

  test("solution descriptors: the one of an environment, and a delta for it", async () => {
    const { page, check } = await open("/ui/descriptors?environment=cluster-01/pl-01");
    await page.getByRole("row", { name: "postgres pg16-2.10.5-20241215.141230-3-RELEASE pg" }).waitFor();
    await page.getByRole("tab", { name: "Merge a delta" }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.insertText("version: 2.1\ntype: solutionDeploy\ndeployMode: composite\napplications:\n- version: postgres:pg17\n  deployPostfix: pg\n");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("row", { name: /changed.*postgres/ }).first().waitFor();
    check();
  });

  test("schema: a kind explained, and from there to its documents", async () => {
    const { page, check } = await open("/ui/schema?kind=environmentParamSet");
    await page.getByRole("heading", { name: "environmentParamSet" }).waitFor();
    await page.getByRole("link", { name: "Show its documents" }).click();
    await page.waitForURL(/explorer\?.*kind=environmentParamSet/);
    check();
  });
});
