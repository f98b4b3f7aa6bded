import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { firstScripts, settled } from "./browser";
import { seed, seedChangeSet, seedDescriptor, seedLayering, seedResolutions } from "./seed";
import { stage } from "./stage";

const { open } = stage(async (server) => {
  await seed(server);
  await seedDescriptor(server);
  await seedResolutions(server);
  await seedLayering(server);
  await seedChangeSet(server);
});

/** What a page costs until it is there. Nothing of it depends on how fast the machine is. */
interface Cost {
  scripts: number; // bytes of JavaScript, compressed
  bytes: number; // of all that was read, compressed
  requests: number; // addresses that were asked; what is polled counts once
  elements: number; // of the document
  shift: number; // how far what was shown has moved since: cumulative layout shift
}

async function costOf(page: Page): Promise<Cost> {
  const scripts = await firstScripts(page);
  const rest = await page.evaluate(async () => {
    const shift = await new Promise<number>((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) sum += hadRecentInput ? 0 : value;
      }).observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(sum), 200); // those that are buffered come in tasks of their own
    });
    const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")] as PerformanceResourceTiming[];
    const sizes = new Map(entries.map((entry) => [entry.name, entry.encodedBodySize]));
    return { bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0), requests: sizes.size, elements: document.querySelectorAll("*").length, shift };
  });
  return { scripts, ...rest };
}

/** The limits are a little above what each page costs: what goes beyond them is to be loaded when it is needed, or the reason is written down here. Every page asks how many change sets are open, and a document also for its last version, to say whose it is. Filters that fold on a phone are a script that lists share. */
const pages: { name: string; path: string; most: Cost }[] = [
  { name: "Home", path: "/ui/", most: { scripts: 290_000, bytes: 500_000, requests: 123, elements: 760, shift: 0.05 } },
  { name: "the explorer", path: "/ui/explorer", most: { scripts: 280_000, bytes: 470_000, requests: 103, elements: 590, shift: 0.05 } },
  { name: "a list, with the table", path: "/ui/explorer?kind=cluster", most: { scripts: 325_000, bytes: 515_000, requests: 123, elements: 670, shift: 0.05 } },
  { name: "a document that is read", path: "/ui/explorer?id=cluster/cluster-01", most: { scripts: 320_000, bytes: 510_000, requests: 139, elements: 760, shift: 0.05 } },
  { name: "a document, with the editor", path: "/ui/explorer?id=cluster/cluster-01&tab=yaml", most: { scripts: 510_000, bytes: 700_000, requests: 159, elements: 760, shift: 0.05 } },
  { name: "the system page", path: "/ui/system", most: { scripts: 285_000, bytes: 480_000, requests: 115, elements: 640, shift: 0.05 } },
  { name: "the schema", path: "/ui/schema", most: { scripts: 870_000, bytes: 1_070_000, requests: 113, elements: 900, shift: 0.05 } },
  { name: "activity", path: "/ui/activity", most: { scripts: 285_000, bytes: 480_000, requests: 115, elements: 1_130, shift: 0.1 } },
];

test.each(pages)("$name stays within its budget, without errors", async ({ path, most }) => {
  const { page, check } = await open(path);
  await page.getByRole("heading").first().waitFor();
  await settled(page);
  const cost = await costOf(page);
  expect(cost.scripts).toBeGreaterThan(100_000); // it is measured
  expect(Object.entries(cost).filter(([name, value]) => value > most[name as keyof Cost])).toEqual([]);
  check();
});
