import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { checkAccess } from "./browser";
import { repository } from "./server";
import { stage } from "./stage";

const example = `${repository}/ref-schemas/examples/datacentre`;
const folder = mkdtempSync(join(tmpdir(), "dovetail-forms-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The data centre with more of what a ref-schema can say. */
function writeSchema(): void {
  let text = readFileSync(`${example}/datacentre.yaml`, "utf8");
  const replace = (from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    text = text.replace(from, to);
  };
  replace("    unique: [spec.serial]\n", `    unique: [spec.serial]
    immutable: [spec.serial]
    defaults: true
    rules:
      - {expr: "self.spec.role != 'router' || has(self.spec.warrantyEnd)", message: a router needs a warranty}
`);
  replace("enum: [server, switch, router]}", "enum: [server, switch, router], default: server}\n            rackmount: {type: boolean, default: true}\n            height: {type: integer, default: 1}");
  replace("freeze: {put: [Retired], delete: [Installed]}", "freeze: {put: [Retired], delete: [Installed], children: {port: [Retired]}}");
  text += `
  - name: vlan
    parent: site
  - name: bundle
    parent: site
    description: Ports that are used as one.
    references:
      - {name: port, at: 'spec.ends[*]', min: 2}
      - {name: vlan, at: 'spec.vlans.*'}
`;
  writeFileSync(join(folder, "datacentre.yaml"), text);
}

writeSchema();
const rack = "/v2/sites/north/racks/r1";

const { server, open } = stage(async ({ call, run }) => {
  run("apply", "-f", `${example}/samples`);
  await call("POST", "/v2/sites", { metadata: { name: "south" } });
  await call("POST", "/v2/sites/south/racks", { metadata: { name: "r9" } });
  await call("POST", "/v2/sites/south/racks/r9/devices", { metadata: { name: "far" }, spec: { serial: "SN-9" } });
  await call("POST", "/v2/sites/south/racks/r9/devices/far/ports", { metadata: { name: "p1" } });
  for (const port of ["p3", "p4"]) await call("POST", `${rack}/devices/leaf1/ports`, { metadata: { name: port } });
  for (const vlan of ["v10", "v20"]) await call("POST", "/v2/sites/north/vlans", { metadata: { name: vlan } });
}, "--ref-schemas", folder);

/** A field of the form. The header has a combobox, too. */
function field(page: Page, role: "textbox" | "combobox" | "switch", name: string) {
  return page.locator("#content").getByRole(role, { name, exact: role !== "switch" });
}

describe("references", () => {
  test("a cable between two ports, by pickers; a port that has a cable names it", async () => {
    const { page, check } = await open("/ui/explorer/new?under=site/north&kind=cable");
    await page.getByText("Required and still empty: metadata.name, spec.a, spec.b").waitFor();
    expect(await page.getByRole("button", { name: "Add to change set" }).count()).toBe(0); // the server has none here
    await field(page, "textbox", "name").fill("c2");
    const a = field(page, "combobox", "a");
    await a.click();
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p1" }).waitFor();
    expect(await page.getByRole("listbox").getByRole("option").allTextContents()).toEqual(["r1/leaf1/p1", "r1/leaf1/p2", "r1/leaf1/p3", "r1/leaf1/p4", "r1/web1/eth0", "Also show those outside site/north"]);
    await checkAccess(page);
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p1" }).click();
    const taken = page.getByText("Already taken by");
    await taken.getByRole("link", { name: "site/north/cable/c1" }).waitFor();
    await checkAccess(page);
    await a.fill("leaf1/p2");
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p1" }).waitFor({ state: "detached" });
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p2" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const b = field(page, "combobox", "b");
    await b.fill("r1/leaf1/");
    await page.getByRole("listbox").getByRole("option", { name: "p4" }).click();
    await taken.waitFor({ state: "detached" });
    await page.getByText("The server found no errors.").waitFor();
    expect(await page.getByText("still empty").count()).toBe(0);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "c2", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/sites/north/cables/c2")).toMatchObject({
      spec: { a: { rack: "r1", device: "leaf1", port: "p2" }, b: { rack: "r1", device: "leaf1", port: "p4" } },
    });
    check();
  });

  test("to one that is created for it, without leaving what is edited", async () => {
    const { page, check } = await open("/ui/explorer/new?under=site/north&kind=bundle");
    await field(page, "textbox", "name").fill("b9");
    await page.getByRole("button", { name: "Add an item" }).click();
    const end = field(page, "combobox", "Item 1");
    await end.click();
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p1" }).waitFor();
    expect(await page.getByRole("listbox").getByRole("option", { name: "New port" }).count()).toBe(0); // it is not known of which device
    await end.fill("r1/leaf1/p1");
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p1" }).waitFor();
    await page.waitForTimeout(1_000);
    expect(await page.getByRole("listbox").getByRole("option", { name: "New port" }).count()).toBe(0); // it is there
    await end.fill("r1/leaf1/p9");
    await page.getByRole("listbox").getByRole("option", { name: "New port: p9" }).click();
    const dialog = page.getByRole("dialog", { name: "New port" });
    await dialog.getByRole("link", { name: "site/north/rack/r1/device/leaf1" }).waitFor();
    expect(await dialog.getByRole("textbox", { name: "name", exact: true }).inputValue()).toBe("p9");
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await server.call("GET", `${rack}/devices/leaf1/ports/p9`)).toMatchObject({ metadata: { name: "p9" } });
    await expect.poll(() => end.inputValue()).toBe("r1/leaf1/p9");
    expect(await field(page, "textbox", "name").inputValue()).toBe("b9");
    await server.call("DELETE", `${rack}/devices/leaf1/ports/p9`);
    check();
  });

  test("to documents elsewhere, and to one that is gone since", async () => {
    const { page, check } = await open("/ui/explorer?id=site/north/cable/c1&tab=form");
    const a = field(page, "combobox", "a");
    await a.waitFor();
    expect(await a.inputValue()).toBe("r1/leaf1/p1");
    await a.click();
    await page.getByRole("listbox").getByRole("option", { name: "Also show those outside site/north" }).click();
    await page.getByRole("listbox").getByRole("option", { name: "south/r9/far/p1" }).click();
    await page.getByText("The server found no errors.").waitFor();
    expect(await a.inputValue()).toBe("south/r9/far/p1");
    await server.call("DELETE", "/v2/sites/south/racks/r9/devices/far/ports/p1");
    await field(page, "combobox", "b").fill("p3");
    await page.getByRole("listbox").getByRole("option", { name: "r1/leaf1/p3" }).click();
    await page.getByText("site/south/rack/r9/device/far/port/p1 at /spec/a, which does not exist").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    check();
  });

  test("in lists, and as names of members", async () => {
    const { page, check } = await open("/ui/explorer/new?under=site/north&kind=bundle");
    await field(page, "textbox", "name").fill("b1");
    await page.getByText("spec.ends (at least 2)").waitFor();
    for (const [i, port] of ["r1/leaf1/p3", "r1/web1/eth0"].entries()) {
      await page.getByRole("button", { name: "Add an item" }).click();
      await field(page, "combobox", `Item ${i + 1}`).fill(port);
      await page.getByRole("listbox").getByRole("option", { name: port }).click();
    }
    const add = field(page, "combobox", "Add a vlan (spec.vlans)");
    for (const vlan of ["v10", "v20"]) {
      await add.click();
      await page.getByRole("listbox").getByRole("option", { name: vlan }).click();
    }
    await add.click();
    await page.getByText("No matches.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("The server found no errors.").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "b1", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/sites/north/bundles/b1")).toMatchObject({
      spec: { ends: [{ rack: "r1", device: "leaf1", port: "p3" }, { rack: "r1", device: "web1", port: "eth0" }], vlans: { v10: {}, v20: {} } },
    });
    check();
  });
});

/** Writes a whole text into the editor. */
async function write(page: Page, text: string) {
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

describe("references in YAML", () => {
  test("are completed: as a map of names, one name of it, in lists and as names of members", async () => {
    const { page, check } = await open("/ui/explorer/new?under=site/north&kind=bundle");
    await page.getByRole("tab", { name: "YAML" }).click();
    const option = (name: string) => page.locator(".cm-tooltip-autocomplete").getByRole("option", { name });
    await write(page, "metadata: {name: b7}\nspec:\n  ends:\n    - ");
    await page.keyboard.press("Control+ ");
    await option("r1/web1/eth0").click();
    await page.locator(".cm-line", { hasText: "- { rack: r1, device: web1, port: eth0 }" }).waitFor();
    await page.keyboard.insertText("\n    - rack: r1\n      device: leaf1\n      port: ");
    await page.keyboard.press("Control+ ");
    await option("p4").waitFor();
    expect(await page.locator(".cm-tooltip-autocomplete").getByRole("option", { name: "eth0" }).count()).toBe(0); // of another device
    await option("p4").click();
    await page.keyboard.insertText("\n  vlans:\n    ");
    await page.keyboard.press("Control+ ");
    await option("v20").click();
    await page.keyboard.insertText("{}");
    await page.getByText("The server found no errors.").waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "b7", exact: true }).waitFor();
    expect(await server.call("GET", "/v2/sites/north/bundles/b7")).toMatchObject({ spec: { ends: [{ rack: "r1", device: "web1", port: "eth0" }, { rack: "r1", device: "leaf1", port: "p4" }], vlans: { v20: {} } } });
    check();
  });

  test.each(["light", "dark"] as const)("say what they refer to where the mouse points: %s", async (scheme) => {
    const { page, check } = await open("/ui/explorer?id=site/north/cable/c1&tab=yaml", { scheme });
    await page.locator(".cm-line", { hasText: "device: leaf1" }).hover({ position: { x: 60, y: 8 } });
    const tip = page.locator(".cm-reference");
    await tip.getByText("site/north/rack/r1/device/leaf1/port/p1").waitFor();
    await tip.getByText(/^Updated/).waitFor();
    await checkAccess(page);
    check();
  });
});

describe("values", () => {
  test("defaults are hints, a serial number that another device has names it, and rules say what they want", async () => {
    const { page, check } = await open("/ui/explorer/new?under=site/north/rack/r1&kind=device");
    await field(page, "textbox", "name").fill("web2");
    await field(page, "textbox", "serial").fill("SN-1001");
    const message = page.getByText("The value must be unique. It is the value of");
    await message.getByRole("link", { name: "site/north/rack/r1/device/leaf1" }).waitFor();
    expect(await field(page, "combobox", "role").locator("option").allTextContents()).toEqual(["Default: server", "server", "switch", "router"]);
    expect(await field(page, "textbox", "height").getAttribute("placeholder")).toBe("1");
    expect(await field(page, "switch", "rackmount").isChecked()).toBe(true);
    await checkAccess(page);
    await field(page, "textbox", "serial").fill("SN-2002");
    await field(page, "combobox", "role").selectOption("router");
    await page.getByText("a router needs a warranty").waitFor();
    await checkAccess(page);
    await field(page, "combobox", "role").selectOption("");
    await page.getByText("The server found no errors.").waitFor();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "web2", exact: true }).waitFor();
    expect(await server.call("GET", `${rack}/devices/web2`)).toMatchObject({ spec: { serial: "SN-2002", role: "server", rackmount: true, height: 1 } });
    check();
  });

  test("immutable ones are read-only, and refused where they are written as YAML", async () => {
    const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/leaf1&tab=form");
    const serial = field(page, "textbox", "serial");
    await serial.waitFor();
    expect(await serial.getAttribute("readonly")).not.toBeNull();
    await page.getByText("Cannot change after creation.").waitFor();
    await checkAccess(page);
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("metadata: {name: leaf1}\nspec: {serial: SN-7, role: switch}\n");
    await page.getByText("cannot be changed after creation").first().waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.locator("#content").getByText("cannot be changed after creation").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    check();
  });
});

test("an action is given its reference by a picker", async () => {
  await server.call("POST", `${rack}/devices`, { metadata: { name: "worn" }, spec: { serial: "SN-6" } });
  await server.call("POST", `${rack}/devices/worn/install`);
  const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/worn&tab=yaml");
  await page.getByRole("button", { name: "replace" }).click();
  const dialog = page.getByRole("dialog", { name: "replace: worn?" });
  await dialog.getByText("Required and still empty: spec.by").waitFor();
  await dialog.getByRole("combobox", { name: "by" }).click();
  await dialog.getByRole("option", { name: "leaf1" }).click();
  await checkAccess(page);
  await dialog.getByRole("button", { name: "replace" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await server.call("GET", `${rack}/devices/worn/status`)).toMatchObject({ actions: [{}, { action: "replace", body: { spec: { by: { device: "leaf1" } } } }] });
  check();
});

test("what a state does not allow is disabled, and says so", async () => {
  await server.call("POST", `${rack}/devices`, { metadata: { name: "old" }, spec: { serial: "SN-5" } });
  await server.call("POST", `${rack}/devices/old/ports`, { metadata: { name: "p1" } });
  await server.call("POST", `${rack}/devices/old/install`);
  const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/old&tab=form");
  const remove = page.getByRole("button", { name: "Delete" });
  const review = page.getByRole("button", { name: "Review changes" });
  await page.locator("[aria-description='It cannot be deleted in the state Installed.']").waitFor();
  expect(await remove.getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("button", { name: "retire" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "retire" }).click();
  await page.locator("[aria-description='It cannot be changed in the state Retired.']").waitFor();
  expect(await review.getAttribute("aria-disabled")).toBe("true");
  expect(await remove.getAttribute("aria-disabled")).toBeNull();
  expect(await field(page, "textbox", "warrantyEnd").getAttribute("readonly")).not.toBeNull();
  await checkAccess(page);
  await review.hover();
  await page.getByRole("tooltip", { name: "It cannot be changed in the state Retired." }).waitFor();
  await page.locator("#content").getByRole("button", { name: "New", exact: true }).last().click();
  await page.getByRole("menuitem", { name: "New port Not possible in the state Retired." }).waitFor();
  check();
});

test("what the state of the parent does not allow is disabled, too", async () => {
  await server.call("POST", `${rack}/devices`, { metadata: { name: "gone" }, spec: { serial: "SN-4" } });
  await server.call("POST", `${rack}/devices/gone/ports`, { metadata: { name: "p1" } });
  for (const action of ["install", "retire"]) await server.call("POST", `${rack}/devices/gone/${action}`);
  const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/gone/port/p1&tab=form");
  await page.locator("button[aria-description='Not possible while its device is in the state Retired.']").first().waitFor();
  expect(await page.getByRole("button", { name: "Delete" }).getAttribute("aria-disabled")).toBe("true");
  expect(await page.getByRole("button", { name: "Review changes" }).getAttribute("aria-disabled")).toBe("true");
  check();
});

test("a large document has the fields near the window only, and is written as it was", async () => {
  const values = Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`key-${String(i).padStart(4, "0")}`, `value ${i}`]));
  const nested = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`group-${i}`, Object.fromEntries(Array.from({ length: 30 }, (__, k) => [`item-${k}`, k]))]));
  await server.call("POST", "/v2/sites/north/vlans", { metadata: { name: "large" }, spec: { values, nested } });
  const { page, check } = await open("/ui/explorer?id=site/north/vlan/large&tab=form");
  await page.getByRole("textbox", { name: "key-0003" }).fill("first");
  expect(await page.locator("fieldset input").count()).toBeLessThan(150);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await page.getByRole("group", { name: "group-29" }).getByRole("textbox", { name: "item-29" }).fill("29000");
  expect(await page.locator("fieldset input").count()).toBeLessThan(200);
  await page.keyboard.press("Shift+Tab");
  for (let i = 0; i < 120; i++) await page.keyboard.press("Shift+Tab", { delay: 20 }); // faster than a key that is held
  const reached = await page.evaluate(() => document.activeElement?.closest("fieldset")?.querySelector("legend")?.textContent);
  expect(Number(reached?.match(/^group-(\d+)/)?.[1])).toBeLessThan(29); // the keyboard goes on from block to block
  await page.getByText("The server found no errors.").waitFor();
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await server.call("GET", "/v2/sites/north/vlans/large")).toMatchObject({ spec: { values: { ...values, "key-0003": "first" }, nested: { ...nested, "group-29": { "item-28": 28, "item-29": 29000 } } } });
  check();
});

test.each([
  { name: "light, Russian", scheme: "light", locale: "ru", required: "Обязательно и ещё не заполнено" },
  { name: "dark, English", scheme: "dark", locale: "en", required: "Required and still empty" },
] as const)("accessible, also on a phone: $name", async ({ scheme, locale, required }) => {
  for (const [i, path] of ["/ui/explorer/new?under=site/north&kind=cable", "/ui/explorer/new?under=site/north&kind=bundle", "/ui/explorer/new?under=site/north/rack/r1&kind=device"].entries()) {
    const { page, check } = await open(path, { scheme, locale });
    await page.getByText(required).waitFor();
    if (i < 2) await page.locator("#content").getByRole("combobox").first().click();
    if (i < 2) await page.getByRole("listbox").getByRole("option").first().waitFor();
    await checkAccess(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await checkAccess(page);
    check();
  }
});
