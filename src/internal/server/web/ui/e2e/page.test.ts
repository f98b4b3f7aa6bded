import { expect, test } from "vitest";
import { checkAccess, firstScripts, settled } from "./browser";
import { stage } from "./stage";

const { server, open } = stage();

const paths = ["/ui/", "/ui/explorer", "/ui/overrides", "/ui/descriptors", "/ui/layering", "/ui/resolutions", "/ui/change-sets", "/ui/activity", "/ui/audit", "/ui/schema", "/ui/nowhere"];

test.each(paths)("%s is there on an empty server, and is accessible", async (path) => {
  const { page, check } = await open(path);
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await settled(page);
  await checkAccess(page);
  check();
});

test("every page is reached by keys alone, beginning with the way past the navigation", async () => {
  const { page, check } = await open("/ui/explorer");
  await page.getByRole("tree").waitFor();
  await page.getByRole("button", { name: "View: Stored" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
  for (const name of [/^Search or jump to/, /^Stored/, /^English/, /^$/, /^$/]) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(name);
  }
  for (const name of ["Home", "Explorer", "Overrides", "Solution descriptors", "Layering", "Resolutions", "Change sets", "Activity", "Audit", "Schema"]) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Schema" }).waitFor();
  check();
});

test("the language and the colours are chosen, and stay", async () => {
  const { page, check } = await open("/ui/overrides", { scheme: "dark" });
  await page.getByLabel("Language").selectOption("ru");
  await page.getByRole("heading", { name: "Переопределения" }).waitFor();
  await page.getByRole("button", { name: "Светлое оформление" }).click();
  await page.reload();
  await page.getByRole("heading", { name: "Переопределения" }).waitFor();
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.mantineColorScheme])).toEqual(["ru", "light"]);
  check();
});

test("scripts that stand in the page do not run", async () => {
  const { page } = await open("/ui/explorer");
  const policy = (await page.request.get(`${server.url}/ui/`)).headers()["content-security-policy"] ?? "";
  expect(policy).toContain("script-src 'self';");
  const ran = await page.evaluate(() => {
    const blocked = new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    });
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return blocked.then((directive) => [directive, "ran" in window]);
  });
  expect(ran).toEqual(["script-src-elem", false]);
});

test("the JavaScript that is sent first is at most 300 kB", async () => {
  const { page, check } = await open("/ui/");
  await page.getByRole("heading", { name: "Nothing is stored yet" }).waitFor();
  const bytes = await firstScripts(page);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(300_000);
  check();
});
