import type { Page } from "playwright-core";
import type { Server } from "./server";

/** A document of a name. */
export const named = (name: string, spec?: object) => ({ metadata: { name }, ...(spec && { spec }) });

/** Creates a change set with clusters staged in it. */
export async function propose({ call }: Server, name: string, title: string, ...clusters: { name: string; spec: object }[]): Promise<void> {
  await call("POST", "/api/change-sets", { name, title });
  for (const { name: cluster, spec } of clusters) await call("PUT", `/v2/clusters/${cluster}?changeSet=${name}`, named(cluster, spec));
}

/** What says that the page works in a change set. */
export const banner = (page: Page) => page.getByRole("region", { name: "Working in change set" });

/** What says how to go on with a change set. */
export const nextStep = (page: Page) => page.getByRole("region", { name: "Next step" });

/** Writes at the end of the YAML of a document, and returns the dialog that shows the change. */
export async function edit(page: Page, text: string) {
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
  await page.getByText("The server found no errors.").waitFor();
  await page.getByRole("button", { name: "Review changes" }).click();
  return page.getByRole("dialog");
}
