import { expect, test } from "vitest";
import { seed } from "./seed";
import { stage } from "./stage";

const { open } = stage(seed);

test.each([{ name: "a day ahead", ahead: 86_400_000 }, { name: "two hours behind", ahead: -7_200_000 }])("a browser whose clock is $name says how long ago something was for the server", async ({ ahead }) => {
  const { page, check } = await open("/ui/nowhere");
  await page.clock.install({ time: Date.now() + ahead });
  await page.goto(`${new URL(page.url()).origin}/ui/activity`);
  const time = page.getByRole("time").first();
  await time.waitFor();
  await page.clock.runFor(6_000);
  await expect.poll(() => time.innerText()).toMatch(/^\d+ (sec|min)\. ago$/);
  await expect.poll(() => time.innerText()).not.toMatch(/^0 sec/);
  check();
});
