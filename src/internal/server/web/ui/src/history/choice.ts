import type { Version } from "./queries";

/** What tells the versions of one document apart, also a deletion and the state that it ended. */
export function keyOf(version: Version): string {
  return version.position ?? version.version;
}

/** The revision of a version, as people count. */
export function revisionOf({ version }: Version): number {
  return Number(version.slice(version.lastIndexOf("-") + 1));
}

/** Two versions to compare; without `before` the document was not there. */
export interface Choice {
  after: Version;
  before?: Version;
}

/**
 * The versions that an address names, newest first in the list: at first the newest and the one before it. Undefined where
 * the list, of which there may be more, does not have them yet.
 */
export function choose(versions: Version[], more: boolean, at?: string, before?: string): Choice | undefined {
  const index = at === undefined ? 0 : versions.findIndex((version) => keyOf(version) === at);
  const after = versions[index];
  if (after === undefined) return more || versions.length === 0 ? undefined : choose(versions, more);
  const named = before === undefined ? undefined : versions.find((version) => keyOf(version) === before);
  if (named) return { after, before: named };
  if (before !== undefined && more) return undefined;
  if (after.op === "created") return { after };
  const older = versions[index + 1];
  return older === undefined && more ? undefined : { after, before: older };
}

/** A time as the server reads it, from the local one of an input; undefined of what is none. */
export function isoOf(local: string): string | undefined {
  const time = new Date(local);
  return local === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const two = (n: number) => String(n).padStart(2, "0");

/** A time for an input, which has the local one, to the minute. */
export function localOf(iso: string | undefined): string {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return "";
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
