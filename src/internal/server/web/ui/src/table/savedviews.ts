import type { ExplorerSearch } from "../addresses";

/** A filter of a table with its order and its columns, under a name. */
export interface SavedView {
  name: string;
  search: ExplorerSearch; // has the kind
}

/** Where this browser keeps them. */
const place = "dovetail-views";

/** What of an address a view is made of: not the document that is open, nor its tab. */
const members = ["kind", "by", "find", "like", "labels", "fields", "sort", "wide", "columns"] as const;

/** The longest name, in characters. */
export const longestName = 60;

/** The part of an address that a view keeps. */
export function viewOf(search: ExplorerSearch): ExplorerSearch {
  return Object.fromEntries(members.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])));
}

/** The views that this browser keeps, those of a kind or all, by their names. */
export function savedViews(kind?: string): SavedView[] {
  return read().filter(({ search }) => kind === undefined || search.kind === kind).sort((a, b) => a.name.localeCompare(b.name));
}

/** Keeps a view, instead of one of the same kind that has its name. */
export function saveView(view: SavedView): void {
  const name = view.name.trim();
  write([...read().filter((other) => !(other.name === name && other.search.kind === view.search.kind)), { name, search: viewOf(view.search) }]);
}

/** Forgets a view. */
export function forgetView({ name, search }: SavedView): void {
  write(read().filter((other) => !(other.name === name && other.search.kind === search.kind)));
}

/** Whether two addresses show the same. */
export function isSame(a: ExplorerSearch, b: ExplorerSearch): boolean {
  const [one, other] = [viewOf(a), viewOf(b)];
  return members.every((name) => one[name] === other[name]);
}

function read(): SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    return Array.isArray(kept) ? kept.flatMap(readView) : [];
  } catch {
    return [];
  }
}

function readView(kept: unknown): SavedView[] {
  if (typeof kept !== "object" || kept === null || !("name" in kept) || typeof kept.name !== "string" || !("search" in kept) || typeof kept.search !== "object" || kept.search === null) return [];
  const search = viewOf(kept.search);
  return search.kind === undefined ? [] : [{ name: kept.name, search }];
}

function write(views: SavedView[]): void {
  localStorage.setItem(place, JSON.stringify(views));
}
