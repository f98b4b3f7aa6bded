import { queryOptions } from "@tanstack/react-query";
import { send } from "./client";

/** Where commits of the attached repository are shown, with {commit} for the hash; null where the server knows no place. */
export const commitURLQuery = queryOptions({
  queryKey: ["commitURL"],
  queryFn: async () => {
    const { commitURL } = (await (await send("GET", "/v2", { Accept: "application/json" })).json()) as { commitURL?: string };
    return commitURL ?? null;
  },
  staleTime: 60_000,
});

/** The address of a commit; undefined where there is none that a page can lead to. */
export function addressOf(commitURL: string | null | undefined, hash: string): string | undefined {
  if (!commitURL || !/^https?:\/\//.test(commitURL) || !isCommit(hash)) return undefined;
  return commitURL.replaceAll("{commit}", hash);
}

/** Whether a text is the hash of a commit. */
export function isCommit(text: string | undefined): text is string {
  return text !== undefined && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** The commit that the origin of a transaction names; undefined where it is of none. */
export function commitOf(origin: string | undefined): string | undefined {
  const hash = origin?.startsWith("git:") ? origin.slice("git:".length) : undefined;
  return isCommit(hash) ? hash : undefined;
}
