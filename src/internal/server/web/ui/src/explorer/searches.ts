import type { ExplorerSearch } from "../addresses";
import type { Filter } from "../api/queries";
import { escapeField } from "../model/selectors";

/** What one can search by. */
export const searches = ["name", "id", "value", "labels", "fields"] as const;

export type SearchBy = (typeof searches)[number];

/** The filter that a search means. */
export function filterOf({ kind, by, find = "", labels, fields }: ExplorerSearch): Filter {
  const searched: Record<SearchBy, Filter> = {
    name: { fieldSelector: find && `metadata.name=${escapeField(find)}` },
    id: { under: find },
    value: { contains: find },
    labels: { labelSelector: find },
    fields: { fieldSelector: find },
  };
  const own = searched[searches.find((one) => one === by) ?? "name"];
  const all: Filter = { kind, under: own.under, contains: own.contains, labelSelector: joined(own.labelSelector, labels), fieldSelector: joined(own.fieldSelector, fields) };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text));
}

/** A selector of which all of these hold. */
function joined(...selectors: (string | undefined)[]): string {
  return selectors.filter(Boolean).join(",");
}
