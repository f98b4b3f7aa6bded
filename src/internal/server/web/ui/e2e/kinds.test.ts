import { describe, expect, test } from "vitest";
import { checkAccess } from "./browser";
import { repository } from "./server";
import { stage } from "./stage";

const example = `${repository}/ref-schemas/examples/datacentre`;
const hostile = `<img src=x onerror="alert(1)">`;
const rack = "/v2/sites/north/racks/r1";

const { server, open } = stage(async ({ call, run }) => {
  run("apply", "-f", `${example}/samples`);
  await call("POST", `${rack}/devices`, { metadata: { name: hostile }, spec: { serial: `${hostile}\u001b[2J\u202e`, role: "router", warrantyEnd: "2001-01-01" } });
}, "--ref-schemas", example);

describe("lists of a kind", () => {
  test("have the columns of the ref-schema, and all of them on request", async () => {
    const { page, check } = await open("/ui/explorer?kind=device");
    const table = page.getByRole("table", { name: "device" });
    await table.getByRole("row", { name: "Select north/r1/leaf1 north/r1/leaf1 SN-1001 switch Planned", exact: true }).waitFor();
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Name", "Serial", "Role", "State"]);
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("switch", { name: "All columns" }).click();
    await page.keyboard.press("Escape");
    await table.getByRole("row", { name: /^Select \S+ north\/r1\/leaf1 SN-1001 switch Planned in \d+/ }).waitFor();
    await table.getByRole("row", { name: /north\/r1\/web1 SN-2001 server Planned <none> 1/ }).waitFor();
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Name", "Serial", "Role", "State", "Warranty", "Revision", "Updated", "Created"]);
    expect(new URL(page.url()).search).toBe("?kind=device&wide=true");
    await table.getByRole("link", { name: "north/r1/web1" }).click();
    await page.getByRole("heading", { name: "web1", exact: true }).waitFor();
    await page.goBack();
    await table.getByText("SN-2001").waitFor();
    check();
  });

  test("narrow with the search, show what the columns of maps hold, and lead to the form", async () => {
    const { page, check } = await open("/ui/explorer?id=site/north&tab=links");
    await page.getByRole("link", { name: "cable as a table" }).click();
    await page.getByRole("row", { name: "Select c1 c1 r1,leaf1,p1 r1,web1,eth0", exact: true }).waitFor();
    await page.getByLabel("Search by").selectOption("fields");
    await page.getByLabel("Search for").fill("spec.colour=red");
    await page.keyboard.press("Enter");
    await page.getByText("No matches.").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("menuitem", { name: "New cable" }).click();
    await page.getByRole("heading", { name: "New cable" }).waitFor();
    check();
  });

  test("without columns have when the documents were written, and all of them, of which those near the window are drawn", async () => {
    await server.call("POST", "/v2/batch", Array.from({ length: 1_500 }, (_, i) => ({ kind: "rack", key: { site: "north", rack: `x${String(i).padStart(4, "0")}` }, data: { metadata: { name: `x${String(i).padStart(4, "0")}` }, spec: { units: i + 1 } } })));
    const { page, check } = await open("/ui/explorer?kind=rack&by=id&find=site/north");
    await page.getByRole("row", { name: "Select x0008 x0008 9", exact: true }).waitFor();
    await page.getByRole("status").getByText("1,501 documents").waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    expect(await page.getByRole("table", { name: "rack" }).getAttribute("aria-rowcount")).toBe("1502");
    await page.getByRole("group", { name: "Documents of the kind rack" }).focus();
    await page.keyboard.press("End");
    await page.getByRole("row", { name: "Select x1499 x1499 1500", exact: true }).waitFor();
    check();
  });

  test("show hostile values as text", async () => {
    const { page, check } = await open("/ui/explorer?kind=device&wide=true");
    await page.getByRole("cell", { name: `${hostile} [2J ` }).waitFor();
    expect(await page.locator("#content").locator("script, iframe, img, [onerror]").count()).toBe(0);
    check();
  });

  test.each([
    { name: "light, English", scheme: "light", locale: "en", columns: "Columns" },
    { name: "dark, Russian", scheme: "dark", locale: "ru", columns: "Столбцы" },
  ] as const)("accessible: $name", async ({ scheme, locale, columns }) => {
    const { page, check } = await open("/ui/explorer?kind=device&wide=true", { scheme, locale });
    await page.getByRole("button", { name: columns }).waitFor();
    await page.getByRole("cell", { name: "SN-1001" }).waitFor();
    await checkAccess(page);
    check();
  });
});

describe("the lifecycle", () => {
  test("shows the state, does what it allows, and says why it does not allow the rest", async () => {
    await server.call("POST", `${rack}/devices`, { metadata: { name: "spine1" }, spec: { serial: "SN-3001" } });
    const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/spine1&tab=yaml");
    const panel = page.getByRole("region", { name: "State and actions" });
    await panel.getByText("Planned", { exact: true }).waitFor();
    const retire = panel.getByRole("button", { name: "retire" });
    expect(await retire.getAttribute("aria-disabled")).toBe("true");
    await retire.focus();
    await page.getByRole("tooltip", { name: "Possible in these states: Installed" }).waitFor();
    await panel.getByRole("button", { name: "install" }).click();
    const dialog = page.getByRole("dialog", { name: "install: spine1?" });
    await dialog.getByText("Installed").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "install" }).click();
    await panel.getByText("Installed", { exact: true }).waitFor();
    await panel.getByText("In this state it cannot be deleted.").waitFor();
    expect(await server.call("GET", `${rack}/devices/spine1/status`)).toMatchObject({ lifecycle: { state: "Installed", action: "install" } });
    check();
  });

  test("gives an action its references, and keeps a history of the actions", async () => {
    await server.call("POST", `${rack}/devices`, { metadata: { name: "spine2" }, spec: { serial: "SN-3002" } });
    await server.call("POST", `${rack}/devices/spine2/install`);
    const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/spine2&tab=status");
    await page.getByRole("button", { name: "replace" }).click();
    const dialog = page.getByRole("dialog", { name: "replace: spine2?" });
    await dialog.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("spec: {by: {rack: r1, device: nowhere}}");
    await dialog.getByRole("button", { name: "replace" }).click();
    await dialog.getByRole("alert").getByText("site/north/rack/r1/device/nowhere").first().waitFor();
    await dialog.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("spec: {by: {rack: r1, device: leaf1}}");
    await dialog.getByRole("button", { name: "replace" }).click();
    await page.getByRole("row", { name: /replace Retired .*leaf1/ }).waitFor();
    await page.getByRole("row", { name: /install Installed/ }).waitFor();
    await page.getByText("In this state it cannot be changed.").waitFor();
    await checkAccess(page);
    check();
  });

  test("shows the new state when another user was first", async () => {
    await server.call("POST", `${rack}/devices`, { metadata: { name: "spine3" }, spec: { serial: "SN-3003" } });
    const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/spine3&tab=yaml");
    const panel = page.getByRole("region", { name: "State and actions" });
    await panel.getByRole("button", { name: "install" }).click();
    await server.call("POST", `${rack}/devices/spine3/install`);
    const dialog = page.getByRole("dialog", { name: "install: spine3?" });
    await dialog.getByRole("button", { name: "install" }).click();
    await dialog.getByRole("status").getByText("Installed").waitFor();
    await dialog.getByRole("alert").getByText("STATE", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await panel.getByText("Installed", { exact: true }).waitFor();
    expect(await panel.getByRole("button", { name: "install" }).getAttribute("aria-disabled")).toBe("true");
    check();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru", label: "Состояние и действия" },
    { name: "dark, English", scheme: "dark", locale: "en", label: "State and actions" },
  ] as const)("accessible: $name", async ({ scheme, locale, label }) => {
    const { page, check } = await open("/ui/explorer?id=site/north/rack/r1/device/leaf1&tab=yaml", { scheme, locale });
    await page.getByRole("region", { name: label }).getByText("Planned").waitFor();
    await page.locator(".cm-content").waitFor();
    await checkAccess(page);
    check();
  });
});
