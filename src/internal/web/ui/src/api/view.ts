/**
 * The change set that the page works in, empty for what is stored. The address names it: links lead on in it, and one that is
 * sent to others leads into it.
 */
export function changeSet(): string {
  return new URLSearchParams(globalThis.location?.search).get("changeSet") ?? "";
}

/** The view as a part of a query. */
export function viewQuery(): { changeSet?: string } {
  const name = changeSet();
  return name === "" ? {} : { changeSet: name };
}

/** A path as a change set has it; as it is stored where there is none. */
export function inView(path: string, name = changeSet()): string {
  return name === "" ? path : `${path}${path.includes("?") ? "&" : "?"}changeSet=${encodeURIComponent(name)}`;
}
