/**
 * The change set that the page works in, empty for what is stored. The address names it: links lead on in it, and one that is
 * sent to others leads into it.
 */
export function changeSet(): string {
  return parameter("changeSet");
}

/** The moment that the page shows, a time or a position of the history; empty for now. The address names it, too. A change set goes before it. */
export function moment(): string {
  return changeSet() === "" ? parameter("asOf") : "";
}

function parameter(name: string): string {
  return new URLSearchParams(globalThis.location?.search).get(name) ?? "";
}

/** The view as a part of a query. */
export function viewQuery(): { changeSet?: string; at?: string } {
  const [name, at] = [changeSet(), moment()];
  return { ...(name !== "" && { changeSet: name }), ...(at !== "" && { at }) };
}

/** A path as a change set has it, or as it was at the moment that the page shows; as it is stored where there is neither. */
export function inView(path: string, name = changeSet()): string {
  const at = moment();
  const view = name === "" ? at !== "" && `at=${encodeURIComponent(at)}` : `changeSet=${encodeURIComponent(name)}`;
  return view ? `${path}${path.includes("?") ? "&" : "?"}${view}` : path;
}
