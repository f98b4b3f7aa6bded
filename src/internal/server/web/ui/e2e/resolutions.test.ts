import { describe, expect, test } from "vitest";
import { checkAccess, settled } from "./browser";
import { seedResolutions } from "./seed";
import { stage } from "./stage";

const { server, open: openPath } = stage(seedResolutions);
const open = (query: string, look = {}) => openPath(`/ui/resolutions${query}`, look);

describe("resolutions", () => {
  test("which there are, and what one selects and why", async () => {
    const { page, check } = await open("");
    const list = page.getByRole("navigation", { name: "Resolutions" });
    await list.getByText("✕ not resolved").waitFor();
    await list.getByText("✓ resolved").waitFor();
    await list.getByRole("link", { name: "fine" }).click();
    await page.getByRole("row", { name: "Resolved = True Resolved selected 4 packages" }).waitFor();
    const selections = page.getByRole("region", { name: "Selections" });
    await selections.getByRole("row", { name: 'cat:ui:1.0.0:main for [1] required("ui")' }).waitFor();
    await selections.getByRole("row", { name: "cat:db:13.0.0:main api 2.1.0 needs db >=13" }).waitFor();
    await page.getByRole("button", { name: "Explain what ruled out other versions" }).click();
    await page.getByText("cat:ui:1.1.0: cannot hold with [2]").waitFor();
    expect(new URL(page.url()).search).toBe("?name=fine&without=none");
    await page.getByRole("link", { name: "cat:ui:1.0.0:main" }).click();
    await page.getByRole("heading", { name: "1.0.0" }).waitFor();
    check();
  });

  test("on a phone the reason of a clash is in the window", async () => {
    const { page, check } = await open("?name=clash", { phone: true });
    const message = page.getByRole("table", { name: "Conditions" }).getByText("cannot hold together");
    await message.waitFor();
    const box = await message.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 1000)).toBeLessThanOrEqual(390);
    expect(box?.width).toBeGreaterThan(390 / 2);
    await checkAccess(page);
    check();
  });

  test("a clash: the few constraints and packages that meet, and a way out that is tried", { tags: ["journey"] }, async () => {
    const { page, check } = await open("?name=clash");
    const constraints = page.getByRole("table", { name: "Constraints" });
    await constraints.getByText("conflicts").first().waitFor();
    expect(await constraints.getByRole("row").filter({ hasText: "conflicts" }).allInnerTexts()).toEqual([expect.stringContaining("[1]"), expect.stringContaining("[3]")]);
    const picture = page.getByRole("region", { name: "The conflict as a diagram" });
    await picture.locator(".react-flow__node").first().waitFor();
    expect((await picture.locator(".react-flow__node").evaluateAll((nodes) => nodes.map((node) => (node as HTMLElement).dataset.id))).sort()).toEqual(["api", "constraint 1", "constraint 3", "db", "ui"]);
    expect(await picture.locator(".react-flow__edge").count()).toBe(4);
    await picture.getByText("every version of ui needs api ^2").waitFor();
    await checkAccess(page);
    const before = await server.call("GET", "/v2/active-resolutions/clash?view=document");
    await page.getByRole("button", { name: "Try [3]" }).click();
    const trial = page.getByRole("region", { name: "Trial" });
    await trial.getByRole("row", { name: 'cat:db:13.0.0:main for [4] required("db")' }).waitFor();
    expect(new URL(page.url()).search).toBe("?name=clash&without=3");
    await checkAccess(page);
    await page.getByRole("checkbox", { name: "leave out [3]" }).uncheck();
    await trial.getByRole("heading", { name: "Conflict" }).waitFor();
    await page.getByRole("checkbox", { name: "leave out [0]" }).check();
    await trial.getByRole("button", { name: "Try [1]" }).waitFor();
    await trial.getByRole("button", { name: "Try [1]" }).click();
    await trial.getByText("Trial without [0], [1]").waitFor();
    await page.getByRole("button", { name: "Back to what is stored" }).click();
    await page.getByRole("heading", { name: "Possible fixes" }).waitFor();
    expect(await server.call("GET", "/v2/active-resolutions/clash?view=document")).toEqual(before);
    check();
  });

  test("why there is no solution, as a derivation with numbered steps", async () => {
    const { page, check } = await open("?name=clash");
    await page.getByRole("button", { name: "Explain step by step" }).click();
    const steps = page.getByRole("region", { name: "Why, step by step" }).getByRole("listitem");
    await steps.last().getByText("→ [1] and [3] cannot hold together").waitFor();
    expect(await steps.count()).toBeGreaterThan(1);
    expect(await steps.last().innerText()).toMatch(/because[\s\S]*step \d/);
    await checkAccess(page);
    await page.getByRole("checkbox", { name: "leave out [0]" }).check();
    await steps.last().getByText("→ [1] and [3] cannot hold together").waitFor(); // the numbers are those of all constraints
    check();
  });

  test("a constraint in the picture is tried away with keys alone", async () => {
    const { page, check } = await open("?name=clash");
    await page.locator('[data-id="constraint 1"]').focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Trial" }).getByText("cat:db:12.0.0:main").waitFor();
    check();
  });

  test("a plan: its steps, the way back, and what it waits for", async () => {
    await server.call("PUT", "/api/sources/hops", {
      packages: [
        { name: "app", versions: [
          { version: "1.0.0", channels: ["main"], image: "registry.example.org/app:1.0", dependencies: [{ name: "lib", versionRange: "=1.0.0" }] },
          { version: "1.5.0", channels: ["main"], image: "registry.example.org/app:1.5", replaces: "1.0.0", dependencies: [{ name: "lib", versionRange: "<3.0.0" }] },
          { version: "2.0.0", channels: ["main"], image: "registry.example.org/app:2.0", replaces: "1.5.0", dependencies: [{ name: "lib", versionRange: "=2.0.0" }] },
        ] },
        { name: "lib", versions: [{ version: "1.0.0", channels: ["main"], image: "registry.example.org/lib:1" }, { version: "2.0.0", channels: ["main"], image: "registry.example.org/lib:2", replaces: "1.0.0" }] },
      ],
    });
    const metadata = { name: "upgrade", annotations: { "deppy.io/activator-class": "Operator" } };
    const installed = [{ name: "app", version: "1.0.0" }, { name: "lib", version: "1.0.0" }];
    await server.call("POST", "/v2/active-resolutions?wait=20s", { metadata, spec: { sources: ["hops"], constraints: ['required("app", ">=2.0.0")'], installed, policy: "minimal-change", approval: "required" } });
    const { page, check } = await open("?name=upgrade");
    const plan = page.getByRole("region", { name: "Plan" });
    const steps = plan.getByRole("table", { name: "Steps" });
    await steps.getByRole("row", { name: "1 app 1.0.0 → 1.5.0 hop 1 of 2" }).waitFor();
    await steps.getByRole("row", { name: "3 app 1.5.0 → 2.0.0 hop 2 of 2" }).waitFor();
    const ways = plan.getByRole("table", { name: "Versions" });
    await ways.getByRole("row", { name: "app 1.0.0 2.0.0 1.0.0 → 1.5.0 → 2.0.0" }).waitFor();
    await ways.getByRole("row", { name: "lib 1.0.0 2.0.0 1.0.0 → 2.0.0" }).waitFor();
    await plan.getByText("The way back", { exact: true }).click();
    await plan.getByRole("table", { name: "The way back" }).getByRole("row", { name: "3 app 1.5.0 → 1.0.0" }).waitFor();
    await checkAccess(page);
    await plan.getByRole("button", { name: "Approve this plan" }).click(); // without authentication nobody is known to be another user
    await plan.getByText("the server does not know who asks").waitFor();
    check();
  });

  test("what cannot be read, and what nothing fulfils", async () => {
    const resolve = (name: string, constraints: string[]) => server.call("POST", "/v2/active-resolutions?wait=20s", { metadata: { name }, spec: { constraints } });
    await resolve("broken", ['required("log")', "nonsense("]);
    await resolve("missing", ['required("log", "^7")', 'required("never")']);
    const { page, check } = await open("?name=broken");
    await page.getByRole("row").filter({ hasText: "nonsense(" }).getByText("cannot be read").waitFor();
    await page.goto(`${server.url}/ui/resolutions?name=missing`);
    await page.getByText("no version is in the range").or(page.getByText("unknown package")).first().waitFor();
    await page.goto(`${server.url}/ui/resolutions?name=never`);
    await page.getByText("This document does not exist").waitFor();
    check();
  });

  test("hostile names are text, never HTML", async () => {
    const hostile = `<img src=x onerror="alert(1)">`;
    await server.call("POST", "/v2/active-resolutions?wait=20s", { metadata: { name: hostile }, spec: { constraints: [`required("<script>alert(2)</script>")`, { required: { name: "<svg/onload=alert(3)>" } }] } });
    const { page, check } = await open(`?name=${encodeURIComponent(hostile)}`);
    await page.getByRole("heading", { name: hostile }).waitFor();
    await page.locator(".react-flow__node").first().waitFor();
    expect(await page.locator("#content").locator("script, iframe, img, [onerror], [onload], a[href^=javascript]").count()).toBe(0);
    check();
  });

  test.each([
    { name: "light, Russian", scheme: "light", locale: "ru" },
    { name: "dark, English", scheme: "dark", locale: "en" },
  ] as const)("accessible: $name", async ({ scheme, locale }) => {
    const { page, check } = await open("", { scheme, locale });
    for (const query of ["", "?name=clash", "?name=fine&without=none"]) {
      await page.goto(`${server.url}/ui/resolutions${query}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await checkAccess(page);
    }
    check();
  });
});
