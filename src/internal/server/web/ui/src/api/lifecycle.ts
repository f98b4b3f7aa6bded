import { queryOptions } from "@tanstack/react-query";
import { messageHeader, send } from "./client";
import { inView } from "./view";

/** What the status of a document of a kind with a lifecycle says. */
export interface Standing {
  lifecycle: { state: string; since?: string; action?: string; by?: string; allowed: string[] };
  actions?: { action: string; at: string; state?: string; body?: unknown }[]; // the last ones, the newest last
  actionsTotal?: number; // where not all are kept
}

/** The state of a document, and the actions that it allows. */
export function standingQuery(path: string) {
  return queryOptions({ queryKey: ["document", path, "status"], queryFn: async () => (await (await send("GET", inView(`${path}/status`))).json()) as Standing });
}

/** Does an action on a document, with a body as YAML. */
export async function postAction(path: string, action: string, body: string, message: string): Promise<void> {
  await send("POST", `${path}/${action}`, { "Content-Type": "application/yaml", ...messageHeader(message) }, body);
}
