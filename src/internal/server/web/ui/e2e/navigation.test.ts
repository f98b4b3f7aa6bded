import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { repository } from "./server";
import { seed, seedLayering, seedResolutions } from "./seed";
import { stage } from "./stage";

const environment = "cluster/cluster-01/environment/env-01";

describe("the pages", () => {
  const { open } = stage(async (server) => {
    await seed(server);
    await seedResolutions(server);
    await seedLayering(server);
    await server.call("POST", "/api/change-sets", { name: "limits", title: "Raise the limits" });
  });

  const pages = [
    { path: "/ui/", title: "Home · Dovetail" },
    { path: "/ui/explorer", title: "Explorer · Dovetail" },
    { path: "/ui/explorer?kind=cluster&wide=true", title: "cluster · Explorer · Dovetail" },
    { path: `/ui/explorer?id=${environment}`, title: "env-01 · Explorer · Dovetail" },
    { path: `/ui/explorer?id=${environment}&tab=form`, title: "env-01 · Explorer · Dovetail" },
    { path: `/ui/explorer?id=${environment}&tab=links`, title: "env-01 · Explorer · Dovetail" },
    { path: `/ui/explorer?id=${environment}&tab=graph`, title: "env-01 · Explorer · Dovetail" },
    { path: `/ui/explorer?id=${environment}&tab=history`, title: "env-01 · Explorer · Dovetail" },
    { path: "/ui/explorer?by=fields&find=spec.namespace=env-01-core", title: "spec.namespace=env-01-core · Explorer · Dovetail" },
    { path: "/ui/explorer/new?kind=appDefinition", title: "New appDefinition · Explorer · Dovetail" },
    { path: "/ui/overrides?cluster=cluster-01&environment=env-01", title: "env-01 · Overrides · Dovetail" },
    { path: `/ui/descriptors?environment=${environment}&tab=merge`, title: "env-01 · Solution descriptors · Dovetail" },
    { path: "/ui/layering", title: "Layering · Dovetail" },
    { path: "/ui/resolutions?name=clash", title: "clash · Resolutions · Dovetail" },
    { path: "/ui/change-sets", title: "Change sets · Dovetail" },
    { path: "/ui/change-sets?name=limits", title: "Raise the limits · Change sets · Dovetail" },
    { path: "/ui/activity", title: "Activity · Dovetail" },
    { path: "/ui/audit", title: "Audit · Dovetail" },
    { path: "/ui/schema?kind=cluster", title: "cluster · Schema · Dovetail" },
    { path: "/ui/nowhere", title: "Page not found · Dovetail" },
  ];

  test.each(pages)("$path has a title of its own, and nothing of it is beyond the edge of a phone", async ({ path, title }) => {
    const { page, check } = await open(path, { phone: true });
    await expect.poll(() => page.title()).toBe(title);
    await settled(page);
    const { width, over } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      over: [...document.querySelectorAll("#root *")].filter((e) => e.getBoundingClientRect().right > 390).map((e) => `${e.tagName}.${e.className}`).slice(0, 12),
    }));
    expect(width, over.join("\n")).toBeLessThanOrEqual(390);
    check();
  });

  test("on a phone the document comes before the hierarchy", async () => {
    const { page, check } = await open(`/ui/explorer?id=${environment}`, { phone: true });
    const heading = await page.getByRole("heading", { name: "env-01", exact: true }).boundingBox();
    const tree = await page.getByRole("region", { name: "Hierarchy" }).boundingBox();
    expect(heading?.y).toBeLessThan(tree?.y ?? 0);
    await settled(page);
    await checkAccess(page);
    check();
  });
});

describe("a server without some of the services", () => {
  const { open } = stage(() => undefined, "--services", "resources,descriptor");

  test("has no way to them", async () => {
    const { page, check } = await open("/ui/explorer");
    const navigation = page.getByRole("navigation", { name: "Main" });
    await expect.poll(() => navigation.getByRole("link").allInnerTexts()).toEqual(["Home", "Explorer", "Solution descriptors", "Activity", "Audit", "Schema", "System"]);
    await page.getByRole("button", { name: "View: Stored" }).click(); // there are moments of the past, and no change sets
    await page.getByRole("menu").waitFor();
    expect(await page.getByRole("menuitem", { name: /change set/i }).count()).toBe(0);
    check();
  });
});

describe("a document with a key of several parts", () => {
  const { open } = stage(async ({ call }) => {
    await call("POST", "/v2/batch", [
      { kind: "project", key: { project: "p" }, data: { metadata: { name: "p" } } },
      ...["shop", "bank"].map((app) => ({ kind: "compositeApp.compositeAppVersion", key: { project: "p", compositeApp: app, compositeAppVersion: "v1" }, data: { metadata: { name: app }, spec: { compositeAppVersion: "v1" } } })),
    ]);
  }, "--ref-schemas", `${repository}/ref-schemas/examples/emco`);

  test("is called by all of them, with the whole id beside", async () => {
    const { page, check } = await open("/ui/explorer?id=project/p/compositeApp/shop/compositeAppVersion/v1");
    await page.getByRole("heading", { name: "shop / v1", exact: true }).waitFor();
    await page.locator('[role="treeitem"][aria-selected="true"]', { hasText: "shop / v1" }).waitFor();
    const other = page.getByRole("treeitem", { name: "bank / v1", exact: true });
    await other.waitFor();
    expect(await other.getByTitle("project/p/compositeApp/bank/compositeAppVersion/v1").count()).toBe(1);
    await expect.poll(() => page.title()).toBe("shop / v1 · Explorer · Dovetail");
    check();
  });
});
