import { describe, expect, test } from "vitest";
import { checkAccess, firstScripts, settled } from "./browser";
import { seedCatalog } from "./seed";
import type { Server } from "./server";
import { stage } from "./stage";

/** A catalog as it was published, and a small one with all that a version may be. */
async function seedCatalogs(server: Server): Promise<void> {
  await seedCatalog(server);
  await server.call("PUT", "/api/sources/small", {
    packages: [
      {
        name: "app",
        defaultChannel: "stable",
        versions: [
          { version: "1.0.0", channels: ["stable"], replaces: "0.9.0" },
          { version: "1.5.0", channels: ["stable", "candidate"], replaces: "1.0.0", deprecated: true },
          { version: "2.0.0", channels: ["stable"], replaces: "1.5.0", skips: ["1.4.0"], skipRange: ">=1.0.0 <1.2.0", image: "registry.example.org/app:2", dependencies: [{ name: "db", versionRange: ">=13" }], conflicts: [{ name: "<img src=x onerror=alert(1)>" }], properties: [{ type: "olm.gvk", value: { group: "example.org", version: "v1", kind: "App" } }] },
          { version: "2.1.0-rc.1", channels: ["candidate"], replaces: "2.0.0", withdrawn: true },
          { version: "3.x", channels: ["candidate"] },
        ],
      },
      { name: "old", deprecated: true, versions: [{ version: "1.0.0", channels: ["main"] }] },
    ],
  });
}

const { open: openPath } = stage(seedCatalogs);
const open = (query: string, look = {}) => openPath(`/ui/resolutions?tab=catalogs${query}`, look);
const app = "&source=small&package=app";

describe("catalogs", () => {
  test("a catalog as it was published: its packages by name, and one with many channels", async () => {
    const { page, check } = await open("");
    await page.getByText("180 of 180 packages").waitFor();
    const packages = page.getByRole("navigation", { name: "Packages" });
    await page.getByLabel("Find a package").fill("strimzi");
    await page.getByText("1 of 180 packages").waitFor();
    await packages.getByRole("link", { name: "strimzi-kafka-operator" }).click();
    const channels = page.getByRole("radiogroup", { name: "Channels" });
    await expect.poll(() => channels.getByRole("radio").count()).toBe(39);
    await channels.getByText(/^stable \(default\) · \d+ · \d/).waitFor();
    await page.locator(".react-flow__node").first().waitFor();
    await settled(page);
    await checkAccess(page);
    check();
  });

  test("upgrades of a channel as a picture, in which a version is chosen with keys alone", async () => {
    const { page, check } = await open(app);
    const picture = page.getByRole("region", { name: "The upgrades as a diagram" });
    const all = ["0.9.0", "1.0.0", "1.4.0", "1.5.0", "2.0.0", "2.1.0-rc.1", "3.x"];
    const ids = () => picture.locator(".react-flow__node").evaluateAll((nodes) => nodes.map((node) => (node as HTMLElement).dataset.id).sort());
    await picture.locator('[data-id="0.9.0"]').waitFor();
    await expect.poll(ids).toEqual(all);
    await picture.locator('[data-id="0.9.0"]').getByText("not in the catalog").waitFor();
    expect(await picture.locator(".react-flow__edge").count()).toBe(5); // without the range
    await page.getByRole("radiogroup", { name: "Channels" }).getByText("candidate · 3 · 3.x").or(page.getByText("candidate · 3 · 2.1.0-rc.1")).click();
    await expect.poll(ids).toEqual(["1.0.0", "1.5.0", "2.0.0", "2.1.0-rc.1", "3.x"]);
    expect(new URL(page.url()).searchParams.get("channel")).toBe("candidate");
    await page.getByText("all · 5").click();
    await expect.poll(ids).toEqual(all); // the picture is another one by then
    await picture.locator('[data-id="2.0.0"]').focus();
    await page.keyboard.press("Enter");
    const version = page.getByRole("region", { name: "Version 2.0.0" });
    await version.getByText("1.0.0 (skipRange)").waitFor();
    await version.getByText("db >=13").waitFor();
    await version.getByText("example.org/v1/App").waitFor();
    await version.getByText("<img src=x").waitFor();
    await expect.poll(() => picture.locator(".react-flow__edge").count()).toBe(6);
    await version.getByLabel("Way from").selectOption("0.9.0");
    await version.getByText("0.9.0 → 1.0.0 → 2.0.0 · 2 hops").waitFor();
    await version.getByLabel("Way from").selectOption("2.1.0-rc.1");
    await version.getByText("The catalog has no way from 2.1.0-rc.1 to 2.0.0.").waitFor();
    await checkAccess(page);
    await page.reload();
    await version.getByText("The catalog has no way").waitFor(); // the address has all of it
    await version.getByRole("link", { name: "1.5.0" }).click();
    await page.getByRole("region", { name: "Version 1.5.0" }).getByText("It is deprecated").waitFor();
    check();
  });

  test("versions say what is deprecated, withdrawn, or cannot be read", async () => {
    const { page, check } = await open(app);
    const table = page.getByRole("region", { name: "Versions of the package" });
    await table.getByRole("row", { name: "2.1.0-rc.1 candidate 1 0 withdrawn" }).waitFor();
    await table.getByRole("row", { name: "1.5.0 stable, candidate 1 1 deprecated" }).waitFor();
    await table.getByRole("row", { name: /^3\.x candidate 0 0 cannot be read$/ }).waitFor();
    await table.getByRole("link", { name: "2.1.0-rc.1" }).click();
    await page.getByText("only a constraint that requires exactly this version selects it").waitFor();
    await page.goto(`${new URL(page.url()).origin}/ui/resolutions?tab=catalogs&source=small&package=never`);
    await page.getByText("This document does not exist").waitFor();
    expect(await page.locator("#content").locator("script, iframe, img, [onerror]").count()).toBe(0);
    check();
  });

  test.each([
    { scheme: "dark", locale: "ru", phone: true },
    { scheme: "light", locale: "ru" },
    { scheme: "dark", locale: "en" },
  ] as const)("accessible, and no wider than the window: %o", async (look) => {
    const { page, check } = await open(`${app}&version=2.0.0&from=0.9.0`, look);
    await page.locator(".react-flow__node").first().waitFor();
    await settled(page);
    await checkAccess(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual("phone" in look ? 390 : 1400);
    check();
  });

  test("is no part of what is sent first", async () => {
    const { page, check } = await openPath("/ui/");
    await settled(page);
    expect(await firstScripts(page)).toBeLessThan(300_000);
    check();
  });
});
