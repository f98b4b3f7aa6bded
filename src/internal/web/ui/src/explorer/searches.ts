import type { ExplorerSearch } from "../addresses";
import type { Filter } from "../api/queries";
import { escapeField } from "../model/selectors";

/** What one can search by. */
export const searches = ["name", "id", "labels", "fields"] as const;

export type SearchBy = (typeof searches)[number];

/** The filter that a search means. */
export function filterOf(search: ExplorerSearch): Filter {
  const filter: Filter = { ...(search.kind && { kind: search.kind }), ...(search.labels && { labelSelector: search.labels }) };
  const find = search.find ?? "";
  if (find === "") return filter;
  switch (search.by) {
    case "id":
      return { ...filter, under: find };
    case "labels":
      return { ...filter, labelSelector: search.labels ? `${find},${search.labels}` : find };
    case "fields":
      return { ...filter, fieldSelector: find };
    default:
      return { ...filter, fieldSelector: `metadata.name=${escapeField(find)}` };
  }
}
