import { queryOptions } from "@tanstack/react-query";
import { send } from "../api/client";

/** What the last scrub found, as the server says it. */
interface Finding {
  problem: string;
  id?: string; // the document; left out where an index is damaged
  message: string;
}

/** A document with what is wrong with it. */
export interface Defect {
  id: string; // empty where an index is damaged
  messages: string[];
}

/** What the last scrub found of the documents that one may read, and is still so. */
export interface Defects {
  scrubbed?: string; // left out before the first scrub
  documents: Defect[];
  partial: boolean; // the scrub found more than is kept
}

/** Puts the findings of a document together. Their messages begin with its id, which is shown beside them. */
export function byDocument(findings: Finding[]): Defect[] {
  const found = new Map<string, string[]>();
  for (const { id = "", message } of findings) {
    const text = id !== "" && message.startsWith(`${id}: `) ? message.slice(id.length + 2) : message;
    found.set(id, [...(found.get(id) ?? []), text]);
  }
  return [...found].map(([id, messages]) => ({ id, messages }));
}

export const defectsQuery = queryOptions({
  queryKey: ["documents", "scrub"],
  queryFn: async (): Promise<Defects> => {
    const { scrubbed, findings, partial = false } = (await (await send("GET", "/v2/scrub")).json()) as { scrubbed?: string; findings: Finding[]; partial?: boolean };
    return { scrubbed, documents: byDocument(findings), partial };
  },
  refetchInterval: 60_000,
});
