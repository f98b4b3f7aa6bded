/** Where the documents are kept that were opened last: for as long as the window is open, and for this window alone. */
const place = "dovetail-recent";
const most = 8;

/** The ids of the documents that were opened last, the latest first. */
export function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** Notes that a document is opened. */
export function noteRecent(id: string): void {
  sessionStorage.setItem(place, JSON.stringify([id, ...recent().filter((other) => other !== id)].slice(0, most)));
}
