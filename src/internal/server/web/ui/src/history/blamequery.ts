import { queryOptions } from "@tanstack/react-query";
import { withoutStatus } from "../api/documents";
import { Origins, blocksOf, changedPaths, placesOf, type Block } from "./blame";
import { readHistory, readText, type Version } from "./queries";

/** How many versions are looked at. */
const most = 1_000;

/** A document with the version that set each line. */
export interface Blame {
  versions: Version[]; // newest first, as far as they are needed
  blocks: Block[];
  cut: boolean; // there are older versions that were not looked at
}

/** Which version set which line of a document, as it is now. */
export function blameQuery(path: string) {
  return queryOptions({ queryKey: ["history", path, "blame"], queryFn: () => readBlame(path), retry: false });
}

async function readBlame(path: string): Promise<Blame> {
  const text = withoutStatus(await readText(path));
  const places = placesOf(text);
  const origins = new Origins();
  const versions: Version[] = [];
  let token: string | undefined = "";
  /* oxlint-disable no-await-in-loop -- from one version to the one before */
  while (token !== undefined && versions.length < most) {
    const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(path, token);
    for (const version of page.items) {
      const last = versions.at(-1);
      if (last) origins.add(versions.length - 1, await changesOf(path, version, last));
      if (version.erased) return { versions, blocks: blocksOf(text, places, origins), cut: false };
      versions.push(version);
      if (version.op === "created") origins.add(versions.length - 1, [""]);
      if (version.op === "created" || places.every((place) => place.inner || origins.of(place.path) >= 0)) return { versions, blocks: blocksOf(text, places, origins), cut: false };
    }
    token = page.continue;
  }
  /* oxlint-enable no-await-in-loop */
  return { versions, blocks: blocksOf(text, places, origins), cut: token !== undefined };
}

/** The paths at which a version differs from the one before it; where the history has only some of them, their texts say it. */
async function changesOf(path: string, before: Version, version: Version): Promise<string[]> {
  if ((version.morePaths ?? 0) === 0) return version.paths ?? [];
  const [old, text] = await Promise.all([before, version].map((one) => readText(path, one.position ?? one.version)));
  return changedPaths(withoutStatus(old ?? ""), withoutStatus(text ?? ""));
}
