import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { propose } from "./proposals";
import { seed, seedDescriptor } from "./seed";
import { stage } from "./stage";

const then = { position: "", time: "" };
const { server, open } = stage(async (made) => {
  await seed(made);
  await seedDescriptor(made);
  await made.call("POST", "/api/ui-override?environmentId=cluster-01/env-01&context=deploy", { parameters: { REPLICAS: 3 } });
  await propose(made, "more", "A third cluster", { name: "cluster-03", spec: { memory: "8Gi" } });
  const { items } = (await made.call("GET", "/v2/transactions?limit=1")) as { items: { position: string; time: string }[] };
  then.position = items[0]?.position ?? "";
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  then.time = new Date(Date.now() - 50).toISOString();
  await made.call("PATCH", "/v2/clusters/cluster-01", { metadata: { description: "changed since" } }, { "Content-Type": "application/merge-patch+json" });
  await made.call("DELETE", "/v2/clusters/cluster-02");
});

const readOnlyNow = "This page shows what is stored now, the others a moment of the past. Go back to now first.";
const readOnly = "The past cannot be changed. Go back to now first.";

describe("a moment in time", () => {
  test("is chosen in the menu, shown with a bar, and left with one click", async () => {
    const { page, check } = await open("/ui/explorer?id=cluster/cluster-02&tab=yaml");
    await page.getByText("This document does not exist, or was deleted.").waitFor();
    await page.getByRole("button", { name: "View: Stored" }).click();
    await page.getByRole("menuitem", { name: "A moment in time…" }).click();
    const dialog = page.getByRole("dialog", { name: "Show a moment in time" });
    await dialog.getByLabel("Time").fill("2999-01-01T00:00");
    await dialog.getByText("Choose a time that has passed.").waitFor();
    expect(await dialog.getByRole("button", { name: "Show", exact: true }).isDisabled()).toBe(true);
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Yesterday at this time" }).click();
    const bar = page.getByRole("region", { name: "A moment in time is shown" });
    await bar.getByText("read-only").waitFor();
    expect(Date.now() - Date.parse(new URL(page.url()).searchParams.get("asOf") ?? "")).toBeGreaterThan(86_000_000);
    await bar.getByRole("button", { name: "Back to now" }).click();
    await bar.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("asOf");
    check();
  });

  test("is entered at a transaction; documents, lists and the hierarchy are as they were, and nothing can be changed", async () => {
    const { page, check } = await open("/ui/activity?kind=application");
    await page.getByRole("link", { name: "Show the store as of then" }).first().click();
    await page.getByRole("region", { name: "A moment in time is shown" }).getByText(/^As of position/).waitFor();
    await page.goto(`${server.url}/ui/explorer?id=cluster/cluster-01&tab=yaml&asOf=${then.position}`);
    await page.getByText("The first cluster").first().waitFor();
    await page.getByRole("treeitem", { name: "cluster-02" }).waitFor();
    expect(await page.getByText("changed since").count()).toBe(0);
    for (const name of ["Delete", "Review changes"]) {
      const button = page.getByRole("button", { name, exact: true });
      expect(await button.getAttribute("aria-disabled")).toBe("true");
      expect(await button.getAttribute("aria-description")).toBe(readOnly);
    }
    await checkAccess(page);
    await page.getByRole("tab", { name: "Links" }).click();
    await page.getByRole("link", { name: "cluster/cluster-01/environment/env-01" }).waitFor();
    await page.goto(`${server.url}/ui/explorer?kind=cluster&asOf=${encodeURIComponent(then.time)}`);
    await page.getByRole("row").getByRole("link", { name: "cluster-02" }).click();
    await page.getByRole("heading", { name: "cluster-02", exact: true }).waitFor();
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("This document does not exist, or was deleted.").waitFor();
    check();
  });

  test.each([
    "/ui/", "/ui/explorer?id=cluster/cluster-01&tab=graph", "/ui/explorer?id=cluster/cluster-01&tab=history", "/ui/overrides?cluster=cluster-01&environment=env-01", "/ui/descriptors?environment=cluster-01/env-01",
    "/ui/layering", "/ui/resolutions", "/ui/change-sets", "/ui/activity", "/ui/audit", "/ui/system", "/ui/schema", "/ui/explorer?by=id&find=cluster/cluster-01",
  ])("every page can show it: %s", async (path) => {
    const { page, check } = await open(`${path}${path.includes("?") ? "&" : "?"}asOf=${encodeURIComponent(then.time)}`);
    await page.getByRole("region", { name: "A moment in time is shown" }).waitFor();
    await settled(page);
    expect(await page.getByRole("alert").allTextContents()).toEqual([]);
    check();
  });

  test("of an override and of a change set can neither be saved, deleted nor moved, and says why", async () => {
    const at = encodeURIComponent(then.time);
    const { page, check } = await open(`/ui/overrides?cluster=cluster-01&environment=env-01&asOf=${at}`);
    for (const name of ["Save", "Delete the override", "Move to a ParamSet"]) {
      const button = page.getByRole("button", { name, exact: true });
      await expect.poll(() => button.getAttribute("aria-description")).toBe(readOnly);
      expect(await button.getAttribute("aria-disabled")).toBe("true");
    }
    await settled(page);
    await checkAccess(page);
    await page.goto(`${server.url}/ui/change-sets?name=more&asOf=${at}`);
    for (const name of ["Merge", "Rebase", "Approve", "Reject", "Delete"]) {
      await expect.poll(() => page.getByRole("button", { name, exact: true }).getAttribute("aria-description")).toBe(readOnlyNow);
    }
    await settled(page);
    await checkAccess(page);
    await page.goto(`${server.url}/ui/activity?asOf=${at}`);
    await expect.poll(() => page.getByRole("button", { name: "Revert transaction", exact: true }).first().getAttribute("aria-description")).toBe(readOnlyNow);
    check();
  });

  test("Home and the search say that they show what is stored now; what the search finds opens as it was", async () => {
    const { page, check } = await open(`/ui/?asOf=${encodeURIComponent(then.time)}`);
    await page.getByRole("region", { name: "A moment in time is shown" }).getByText("this page shows what is stored now").waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("dialog");
    await search.getByText("Names are those of what is stored now").waitFor();
    await page.locator("[role=combobox]:focus").waitFor();
    await page.keyboard.type("cluster-01");
    await search.getByRole("option", { name: /^cluster-01/ }).first().waitFor();
    await checkAccess(page);
    await search.getByRole("option", { name: /^cluster-01/ }).first().click();
    await page.getByText("The first cluster").first().waitFor(); // as it was described then
    expect(await page.getByText("changed since").count()).toBe(0);
    check();
  });

  test("that the history does not have says so", async () => {
    const { page } = await open("/ui/explorer?id=cluster/cluster-01&tab=yaml&asOf=nonsense");
    await page.getByRole("alert").first().waitFor();
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByRole("heading", { name: "cluster-01" }).waitFor();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru", back: "К настоящему" },
    { name: "dark, English", scheme: "dark", locale: "en", back: "Back to now" },
  ] as const)("accessible, also on a phone: $name", async ({ scheme, locale, back }) => {
    const { page, check } = await open(`/ui/explorer?id=cluster/cluster-01&tab=yaml&asOf=${encodeURIComponent(then.time)}`, { scheme, locale });
    await page.getByRole("button", { name: back }).waitFor();
    await settled(page);
    await checkAccess(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await checkAccess(page);
    check();
  });
});
