import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seed, seedCatalog, seedChangeSet, seedDescriptor, seedLayering, seedResolutions } from "./seed";
import { stage } from "./stage";

const { server, open } = stage(async (given) => {
  await seed(given);
  await seedDescriptor(given);
  await seedResolutions(given);
  await seedCatalog(given);
  await seedLayering(given);
  await seedChangeSet(given);
});

/** Every page, and every tab of a document, of a change set and of a moment. */
const paths = [
  "/ui/", "/ui/explorer", "/ui/explorer?kind=cluster", "/ui/explorer?kind=cluster&columns=name,spec.memory,updated", "/ui/explorer?by=value&find=env-01", "/ui/overrides", "/ui/overrides?cluster=cluster-01&environment=env-01&context=deployment", "/ui/descriptors", "/ui/descriptors?cluster=cluster-01&environment=env-01", "/ui/layering", "/ui/layering?revision=3", "/ui/layering?revision=3&show=table", "/ui/layering?revision=3&schema=example/Kind/v1&name=network&layer=site",
  "/ui/resolutions", "/ui/resolutions?name=clash", "/ui/resolutions?tab=catalogs", "/ui/resolutions?tab=catalogs&source=cat&package=api", "/ui/resolutions?tab=catalogs&source=community&package=strimzi-kafka-operator", "/ui/change-sets", "/ui/change-sets?name=more-memory", "/ui/activity", "/ui/audit", "/ui/schema", "/ui/schema?kind=cluster", "/ui/system", "/ui/nowhere",
  ...["yaml", "form", "links", "graph", "history", "api"].map((tab) => `/ui/explorer?id=cluster/cluster-01&tab=${tab}`),
  ...["explorer", "explorer?kind=cluster", "explorer?id=cluster/bank", "overrides", "resolutions", "schema"].map((path) => `/ui/${path}${path.includes("?") ? "&" : "?"}changeSet=more-memory`),
];
const past = ["", "explorer", "explorer?kind=cluster", "explorer?id=cluster/bank", "overrides", "descriptors", "layering", "resolutions", "schema", "activity"];
/** What a page is like when its data is there, is not there yet, or cannot be had. Both languages and both schemes occur, without each page in all of them. */
const states = [
  { state: "loaded", look: { scheme: "light" as const, locale: "ru" as const }, answer: undefined },
  { state: "loading", look: { scheme: "dark" as const, phone: true }, answer: "none" },
  {
    state: "failed", look: { scheme: "light" as const, locale: "ru" as const, phone: true },
    answer: { status: 500, contentType: "application/problem+json", body: JSON.stringify({ title: "internal", status: 500, code: "internal", detail: "something broke" }) },
  },
] as const;

/** Opens a page without data first, so that what it reads is answered as is wished, all but who asks and the ref-schema. */
async function load(page: Page, path: string, answer: (typeof states)[number]["answer"]): Promise<void> {
  await page.unroute("**/*");
  if (answer !== undefined) {
    await page.route(/\/(v2|api)\/(?!schema|services)/, (route) => (answer === "none" ? undefined : route.fulfill(answer)));
  }
  await page.goto(server.url + path);
  await page.getByRole("navigation").first().or(page.locator("#content")).first().waitFor();
  if (answer === "none") await page.waitForTimeout(300);
  else await settled(page);
}

test.each(states)("every page is accessible when $state", async ({ answer, look }) => {
  const { page, check } = await open("/ui/nowhere", look);
  const at = encodeURIComponent(new Date().toISOString());
  const all = answer === undefined ? [...paths, ...past.map((path) => `/ui/${path}${path.includes("?") ? "&" : "?"}asOf=${at}`)] : paths;
  const found: string[] = [];
  /* oxlint-disable no-await-in-loop -- one page after the other */
  for (const path of all) {
    await load(page, path, answer);
    await checkAccess(page).catch((error: Error & { actual?: unknown }) => found.push(`${path}: ${JSON.stringify(error.actual)}`));
  }
  /* oxlint-enable no-await-in-loop */
  expect(found).toEqual([]);
  if (answer === undefined) check();
});
