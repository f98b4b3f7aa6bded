import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seedSample } from "./seed";
import { stage } from "./stage";

/** The parameters of the override, and the effective set beside them. */
const parameterTable = (page: Page) => page.getByRole("table", { name: "Parameters" });
const effectiveSet = (page: Page) => page.getByRole("table", { name: "Effective set" });
const origin = (page: Page) => page.getByRole("region", { name: "Where the value comes from" });
const side = (page: Page, name: string) => page.getByRole("radiogroup", { name: "Beside the override" }).getByText(name, { exact: true }).click();

const { server, open: openPath } = stage(seedSample);
const open = (query: string, look = {}) => openPath(`/ui/overrides${query}`, look);
const pl = "environmentId=cluster-01/pl-01";
const address = { environment: "", namespace: "&level=namespace&namespace=pl-01-pg", application: "&level=application&namespace=pl-01-pg&application=postgres" };
const api = { environment: "", namespace: "&namespaceName=pl-01-pg", application: "&namespaceName=pl-01-pg&applicationName=postgres" };
type Level = keyof typeof address;

/** Every place that the use cases name: contexts with their levels. */
const places: { context: string; level: Level }[] = [
  ...(["deploy", "runtime"] as const).flatMap((context) => (["environment", "namespace", "application"] as const).map((level) => ({ context, level }))),
  { context: "pipeline", level: "environment" },
  { context: "pipeline", level: "namespace" },
];

const uiOf = (context: string, level: Level, rest = "") => `?cluster=cluster-01&environment=pl-01&context=${context}${address[level]}${rest}`;
const apiOf = (context: string, level: Level) => `/api/ui-override?${pl}&context=${context}${api[level]}`;

interface Override {
  version: string;
  parameters: Record<string, unknown>;
}

const read = async (path: string) => (await server.call("GET", path)) as Override;

async function add(page: Page, name: string, value: string, shown = name) {
  await page.getByLabel("Name of a new parameter").fill(name);
  await page.getByLabel("Its value").fill(value);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("textbox", { name: `Value of ${shown}`, exact: true }).waitFor();
}

async function save(page: Page) {
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
}

/** Puts an override there behind the back of the page. */
async function putElsewhere(path: string, parameters: object, version?: string) {
  await server.call(version ? "PUT" : "POST", path, { parameters }, version ? { "If-Match": `"${version}"` } : {});
}

test("what is typed and not saved is in what is to be, and its comment stays on other tabs", async () => {
  const { page, check } = await open(uiOf("deploy", "application", ""));
  const set = page.getByRole("table", { name: "Effective set" });
  await set.waitFor();
  await add(page, "UNSAVED", "1");
  await page.getByLabel("Comment").fill("because");
  await page.getByText("Your unsaved changes are included in what is to be.").waitFor();
  await set.getByRole("row", { name: /^UNSAVED 1 \+ added/ }).waitFor();
  await set.getByRole("row", { name: /^UNSAVED/ }).getByRole("button").click();
  await origin(page).getByText(/deploy-ui-override/).first().waitFor();
  await checkAccess(page);
  await side(page, "Result");
  expect(await page.getByLabel("Comment").inputValue()).toBe("because");
  await page.getByRole("radiogroup", { name: "View" }).getByText("YAML").click();
  await page.locator(".cm-content").fill("- no map");
  await page.getByText("Your unsaved changes are not included: they are no map").waitFor();
  expect(await set.getByRole("row", { name: /^UNSAVED/ }).count()).toBe(0);
  check();
});

test("what files of credentials give is dots until it is asked for", async () => {
  const part = "/v2/clusters/cluster-01/environments/pl-01/effective-set-parts/pipeline%2Fcredentials.yaml";
  const before = await server.call("GET", part);
  await server.call("PUT", part, { metadata: { name: "pipeline/credentials.yaml" }, spec: { parameters: { TOKEN: "hunter2", nested: { key: "swordfish" } } } });
  await server.call("POST", apiOf("pipeline", "environment"), { environmentId: "cluster-01/pl-01", context: "pipeline", parameters: { TOKEN: "overridden" } });
  const { page, check } = await open(uiOf("pipeline", "environment", ""));
  const set = page.getByRole("table", { name: "Effective set" });
  await page.getByRole("region", { name: "Beside the override" }).getByText("Secret values are hidden.").waitFor();
  await set.getByRole("row", { name: /^TOKEN •+ •+ ~ changed/ }).waitFor();
  await set.getByRole("row", { name: /^nested.*key •+.* removed/ }).waitFor(); // nobody sets it, so that it goes with the next calculation
  expect(await page.content()).not.toMatch(/hunter2|swordfish|overridden</);
  await page.getByLabel("Find a parameter or value").fill("hunter");
  expect(await set.getByRole("row", { name: /TOKEN/ }).count()).toBe(0);
  await page.getByLabel("Find a parameter or value").fill("");
  await set.getByRole("row", { name: /^TOKEN/ }).getByRole("button").click();
  await origin(page).getByText("••••••••").first().waitFor();
  expect(await page.content()).not.toMatch(/hunter2|swordfish/);
  await checkAccess(page);
  await side(page, "Result");
  expect(await page.getByRole("textbox", { name: "Value of TOKEN" }).or(page.getByLabel("Value of TOKEN")).first().getAttribute("type")).toBe("password"); // of the override itself
  await page.getByRole("region", { name: "Beside the override" }).getByRole("button", { name: "Reveal" }).click();
  await set.getByRole("row", { name: /^TOKEN "?hunter2"? "?overridden"? ~ changed/ }).waitFor();
  await server.call("DELETE", apiOf("pipeline", "environment"), undefined, { "If-Match": "*" });
  await server.call("PUT", part, before);
  check();
});

describe("the place is chosen in the page", () => {
  test("cluster, environment, context, level, namespace and application, all in the address", async () => {
    const { page, check } = await open("");
    await page.getByRole("combobox", { name: "Cluster" }).click();
    await page.getByRole("option", { name: "cluster-01" }).click();
    await page.getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name: "pl-01" }).click();
    await page.getByText("Nothing is overridden here yet.").waitFor();
    await page.getByRole("radiogroup", { name: "Context" }).getByText("Runtime").click();
    await page.getByRole("radiogroup", { name: "Level" }).getByText("Application").click();
    await page.getByText("Choose a namespace.").waitFor();
    await page.getByRole("combobox", { name: "Namespace" }).click();
    await page.getByRole("option", { name: "pl-01-pg" }).click();
    await page.getByRole("combobox", { name: "Application" }).click();
    for (const name of ["crm", "postgres"]) await page.getByRole("option", { name }).waitFor();
    expect(await page.getByRole("listbox", { name: "Application" }).getByRole("option").allInnerTexts()).toEqual(["NOTIFICATION", "crm", "postgres"]);
    await page.getByRole("option", { name: "postgres" }).click();
    await page.getByText("Nothing is overridden here yet.").waitFor();
    expect(new URL(page.url()).search).toBe("?cluster=cluster-01&environment=pl-01&context=runtime&level=application&namespace=pl-01-pg&application=postgres");
    await page.getByRole("radiogroup", { name: "Context" }).getByText("Pipeline").click();
    expect(await page.getByRole("radiogroup", { name: "Level" }).getByText("Application").count()).toBe(0);
    check();
  });
});

describe.each(places)("use cases 1 to 4: $context, $level", ({ context, level }) => {
  test("create, view, update, remove a value, delete", async () => {
    const path = apiOf(context, level);
    const { page, check } = await open(uiOf(context, level));
    await page.getByText("Nothing is overridden here yet.").waitFor();
    // 1.1 a new parameter, 1.2 a value that is there already under that name
    await add(page, "NEW_PARAM", "3");
    await add(page, "LOG_LEVEL", "debug");
    await page.getByLabel("Comment").fill("more to see");
    await save(page);
    expect((await read(path)).parameters).toEqual({ NEW_PARAM: 3, LOG_LEVEL: "debug" });
    // 2 it is there for everybody who opens the address
    const other = await open(uiOf(context, level));
    await other.page.getByText("These parameters are overridden here.").waitFor();
    expect(await other.page.getByRole("textbox", { name: "Value of LOG_LEVEL" }).inputValue()).toBe("debug");
    // 3.1 add, 3.2 change, 3.3 remove
    await add(page, "db", "{host: db.test, port: 5432}", "db › port");
    await page.getByRole("textbox", { name: "Value of LOG_LEVEL" }).fill("trace");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove NEW_PARAM" }).click();
    expect(await parameterTable(page).locator("tr[data-change]").evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.change))).toEqual(["removed", "changed", "added", "added"]);
    await save(page);
    expect((await read(path)).parameters).toEqual({ LOG_LEVEL: "trace", db: { host: "db.test", port: 5432 } });
    // 4 delete
    await page.getByRole("button", { name: "Delete the override" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the override" }).click();
    await page.getByText("Deleted.").waitFor();
    await page.getByText("Nothing is overridden here yet.").waitFor();
    await expect(read(path)).rejects.toThrow("NO_PARAMSET");
    check();
  });
});

const effective = (context: string, rest = "") => `${uiOf(context, "application", "")}${rest}`;
const row = (page: Page, name: string) => page.getByRole("table", { name: "Effective set" }).getByRole("row", { name: new RegExp(`^${name} `) });

describe("use cases 5 to 7", () => {
  test.each([
    { name: "deployment, application", context: "deploy", whose: "postgres", parameter: "CONSUL_ENABLED", value: "true" },
    { name: "runtime, application", context: "runtime", whose: "postgres", parameter: "artifact", value: "org.snakeyaml" },
    { name: "pipeline, environment", context: "pipeline", whose: "cluster-01/pl-01", parameter: "CLOUD_LEVEL_PARAM_1", value: "cloud-level-value-1" },
  ])("$name: the set, when it was generated, and what it is to be", async ({ context, whose, parameter, value }) => {
    const environment = apiOf(context, "environment");
    await server.call("POST", environment, { parameters: { [parameter]: "by environment", ADDED: "new" } });
    const { page, check } = await open(effective(context));
    await page.getByText(`Effective set of ${whose}`).waitFor();
    // 7
    const generated = await page.locator("#content time").getAttribute("datetime");
    const set = context === "pipeline" ? "pipeline" : `${context === "deploy" ? "deployment" : context}&namespaceName=pl-01-pg&applicationName=postgres`;
    expect(generated).toBe(((await server.call("GET", `/api/effective-set?${pl}&context=${set}`)) as { generated: string }).generated);
    // 5 and 6, side by side
    const find = page.getByLabel("Find a parameter or value");
    await find.fill(parameter); // rows that are not near the window are not drawn
    expect(await row(page, parameter).locator("td").allInnerTexts()).toEqual([parameter, value, "by environment", "~ changed"]);
    await find.fill("ADDED");
    expect(await row(page, "ADDED").locator("td").allInnerTexts()).toEqual(["ADDED", "", "new", "+ added"]);
    await find.fill("");
    await page.getByText("2 values change").waitFor();
    await page.getByLabel("Only changes").check();
    expect(await effectiveSet(page).locator("tr[data-change]").count()).toBe(2);
    check();
    await server.call("DELETE", environment, undefined, { "If-Match": "*" });
  });

  test("a click on a value shows where it comes from, and leads to an override of it", async () => {
    await server.call("POST", apiOf("runtime", "environment"), { parameters: { artifact: "by environment" } });
    const { page, check } = await open(effective("runtime"));
    await page.getByTitle("Where artifact comes from").click();
    expect(new URL(page.url()).searchParams.get("path")).toBe("/artifact");
    const dialog = origin(page);
    await dialog.getByRole("link", { name: "runtime/pg/postgres/parameters.yaml" }).waitFor();
    expect(await dialog.locator("[data-won]").innerText()).toMatch(/runtime-ui-override[\s\S]*wins[\s\S]*2\. Override, level: environment[\s\S]*by environment/);
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Override this value" }).click();
    const field = page.getByRole("textbox", { name: "Value of artifact" });
    await field.waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await field.fill("by application");
    await page.keyboard.press("Enter");
    await save(page);
    await side(page, "Result");
    await row(page, "artifact").getByText("by application").waitFor();
    expect(await row(page, "artifact").locator("td").allInnerTexts()).toEqual(["artifact", "org.snakeyaml", "by application", "~ changed"]);
    await page.getByTitle("Where artifact comes from").click();
    await origin(page).getByRole("link", { name: "pg-postgres-runtime-ui-override" }).click();
    await page.getByRole("heading", { name: "pg-postgres-runtime-ui-override" }).waitFor();
    check();
    await server.call("DELETE", apiOf("runtime", "environment"), undefined, { "If-Match": "*" });
    await server.call("DELETE", apiOf("runtime", "application"), undefined, { "If-Match": "*" });
  });

  test("what cannot be shown says why", async () => {
    const { page, check } = await open("?cluster=cluster-01&environment=env-01&namespace=env-01-core&application=crm");
    await page.getByText("None has been generated for this yet.").waitFor();
    await page.goto(`${server.url}/ui/overrides?cluster=cluster-01&environment=pl-01`);
    await expect.poll(() => page.getByRole("combobox", { name: "Result for" }).or(page.getByRole("textbox", { name: "Result for" })).inputValue()).toMatch(/ \/ /); // the first application
    await page.goto(`${server.url}/ui/overrides?cluster=cluster-01&environment=pl-01&level=application&namespace=pl-01-pg`);
    await page.getByText("Choose an application.").waitFor();
    await page.goto(`${server.url}/ui/overrides?cluster=cluster-01&environment=never`);
    await page.getByRole("alert").getByText("NO_ENVIRONMENT").waitFor();
    check();
  });
});

/** The address of an application's override that exists, with its version. */
async function existing(): Promise<{ path: string; version: string }> {
  const path = apiOf("deploy", "application");
  await server.call("DELETE", path, undefined, { "If-Match": "*" }).catch(() => undefined);
  const { version } = (await server.call("POST", path, { parameters: { A: "old", B: "old", C: "old" } })) as Override;
  return { path, version };
}

async function change(page: Page, name: string, value: string) {
  await page.getByRole("textbox", { name: `Value of ${name}` }).fill(value);
  await page.keyboard.press("Enter");
}

describe("another user saves first", () => {
  test("412: what they saved is shown, the input is kept and put together with it", async () => {
    const { path, version } = await existing();
    const { page, check } = await open(uiOf("deploy", "application"));
    await change(page, "A", "mine");
    await change(page, "B", "mine");
    await putElsewhere(path, { A: "theirs", B: "old", C: "theirs" }, version);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Another user saved first.").waitFor();
    expect(await page.getByRole("textbox", { name: "Value of A" }).inputValue()).toBe("theirs");
    await page.getByText("1 value was changed by both. The result has yours.").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Merge both" }).click();
    expect(await page.getByRole("textbox", { name: /^Value of/ }).evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value))).toEqual(["mine", "mine", "theirs"]);
    await save(page);
    expect((await read(path)).parameters).toEqual({ A: "mine", B: "mine", C: "theirs" });
    check();
  });

  test("412: the input is taken as it was, or let go", async () => {
    const { path, version } = await existing();
    const { page, check } = await open(uiOf("deploy", "application"));
    await change(page, "A", "mine");
    await putElsewhere(path, { C: "theirs" }, version);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Take my input" }).click();
    await page.getByRole("button", { name: "Reset" }).click();
    expect(await page.getByRole("textbox", { name: /^Value of/ }).count()).toBe(1);
    await change(page, "C", "mine");
    await putElsewhere(path, { D: "theirs" }, (await read(path)).version);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Discard it" }).click();
    expect(await page.getByText("Your input is kept").count()).toBe(0);
    await page.getByRole("textbox", { name: "Value of D" }).waitFor();
    expect((await read(path)).parameters).toEqual({ D: "theirs" });
    check();
  });

  test("409: an override that was not there before", async () => {
    const { path, version } = await existing();
    await server.call("DELETE", path, undefined, { "If-Match": `"${version}"` });
    const { page, check } = await open(uiOf("deploy", "application"));
    await add(page, "A", "mine");
    await putElsewhere(path, { B: "theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Another user saved first.").waitFor();
    await page.getByRole("textbox", { name: "Value of B" }).waitFor();
    await page.getByRole("button", { name: "Merge both" }).click();
    await save(page);
    expect((await read(path)).parameters).toEqual({ A: "mine", B: "theirs" });
    check();
  });

  test("409: a push of another user", async () => {
    const { path } = await existing();
    const { page, check } = await open(uiOf("deploy", "application"));
    await change(page, "A", "mine");
    const conflict = { type: "about:blank", title: "Conflict", status: 409, code: "conflict", reason: "PUSH_CONFLICT", detail: "another commit was pushed" };
    await page.route("**/api/ui-override?*", (route) => (route.request().method() === "PUT" ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(conflict) }) : route.continue()), { times: 1 });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("another commit was pushed").waitFor();
    await page.getByRole("button", { name: "Take my input" }).click();
    await save(page);
    expect((await read(path)).parameters).toMatchObject({ A: "mine" });
    check();
  });

  test("404 and 412 of a deletion: gone when it is saved, changed when it is deleted", async () => {
    const { path, version } = await existing();
    const { page, check } = await open(uiOf("deploy", "application"));
    await change(page, "A", "mine");
    await server.call("DELETE", path, undefined, { "If-Match": `"${version}"` });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing is overridden here yet.").waitFor();
    await page.getByRole("button", { name: "Take my input" }).click();
    await save(page);
    expect((await read(path)).parameters).toEqual({ A: "mine", B: "old", C: "old" });
    await putElsewhere(path, { A: "theirs" }, (await read(path)).version);
    await page.getByRole("button", { name: "Delete the override" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the override" }).click();
    await page.getByText("Another user saved first.").waitFor();
    expect((await read(path)).parameters).toEqual({ A: "theirs" });
    check();
  });
});

describe("the table and the text", () => {
  test("both edit one text, and numbers keep all their digits", async () => {
    const path = apiOf("runtime", "namespace");
    const { page, check } = await open(uiOf("runtime", "namespace", "&view=yaml"));
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("BIG: 12345678901234567890\nratio: 1.10\nmacro: ${creds.get('db').password}\n");
    await page.getByRole("radiogroup", { name: "View" }).getByText("Table").click();
    expect(await page.getByRole("textbox", { name: "Value of BIG" }).inputValue()).toBe("12345678901234567890");
    await change(page, "macro", "#{other}");
    await save(page);
    const stored = await (await fetch(server.url + path, { headers: { Accept: "application/yaml" } })).text();
    expect(stored).toContain("parameters:\n  BIG: 12345678901234567890\n  ratio: 1.10\n  macro: \"#{other}\"\n");
    await page.getByRole("radiogroup", { name: "View" }).getByText("YAML").click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("- a list");
    await page.getByText("Write names with values.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.locator(".cm-content", { hasText: "ratio: 1.10" }).waitFor();
    check();
  });

  test("a value in brackets that do not match is not taken, and says so", async () => {
    await existing();
    const { page, check } = await open(uiOf("deploy", "application"));
    await change(page, "A", "{a: 1");
    await page.getByText("The quotes or brackets do not match.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await add(page, "B2", "x");
    await page.getByLabel("Name of a new parameter").fill("A");
    await page.getByText("This parameter exists already").waitFor();
    await page.getByRole("button", { name: "Remove B", exact: true }).click();
    await page.getByRole("button", { name: "Restore B" }).click();
    expect(await parameterTable(page).locator('tr[data-change="removed"]').count()).toBe(0);
    await checkAccess(page);
    check();
  });

  test("what the server notes is shown", async () => {
    const { page, check } = await open(uiOf("pipeline", "namespace"));
    await add(page, "X", "1");
    await save(page);
    await page.getByText("Notes").waitFor();
    check();
  });

  test("hostile names and values are text, never HTML", async () => {
    const hostile = `<img src=x onerror="alert(1)">`;
    await server.call("DELETE", apiOf("runtime", "application"), undefined, { "If-Match": "*" }).catch(() => undefined);
    await server.call("POST", apiOf("runtime", "application"), { parameters: { [hostile]: "<script>alert(2)</script>", __proto__x: { constructor: "</code><svg/onload=alert(3)>" }, "a/b~c": "javascript:alert(4)\u202e" } });
    const { page, check } = await open(uiOf("runtime", "application"));
    expect(await page.getByRole("textbox", { name: `Value of ${hostile}` }).inputValue()).toBe("<script>alert(2)</script>");
    await add(page, "__proto__", "1");
    await page.getByTitle(`Where ${hostile} comes from`).click();
    await origin(page).getByText("<script>alert(2)</script>").first().waitFor();
    expect(await page.locator("body").locator("#content script, #content iframe, img:not([alt='']), [onerror], [onload], a[href^=javascript]").count()).toBe(0);
    check();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru" },
    { name: "dark, English", scheme: "dark", locale: "en" },
  ] as const)("accessible: $name", async ({ scheme, locale }) => {
    await existing();
    for (const query of ["", uiOf("deploy", "application"), uiOf("deploy", "application", "&view=yaml"), effective("deploy")]) {
      const { page, check } = await open(query, { scheme, locale });
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await checkAccess(page);
      check();
      }
  });
});
