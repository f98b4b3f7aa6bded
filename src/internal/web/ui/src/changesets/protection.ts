import { useQueries } from "@tanstack/react-query";
import { coveringPlace, permissionQuery, type Right } from "../api/access";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";

/** A write that is meant. */
export interface Wanted {
  right: Right;
  id: string; // of a document, which need not exist
}

/**
 * Why writes cannot be made at once, in words: which protection leaves the way through a change set only, and what that needs. It is
 * undefined where none does, and in a change set, where nothing is changed yet.
 */
export function useProtection(wanted: Wanted[]): string | undefined {
  const t = useTexts();
  const answers = useQueries({ queries: wanted.map(({ right, id }) => permissionQuery(right, id)) });
  if (changeSet() !== "") return undefined;
  for (const [i, { data }] of answers.entries()) {
    const [first] = data?.protections ?? [];
    const id = wanted[i]?.id ?? "";
    if (!first) continue;
    const named = { name: coveringPlace(first, id) ?? first.on[0] ?? id, n: first.approvals };
    const { by = [], message } = first;
    return [t("changesets.protectedBy", named), by.length > 0 && t("changesets.protectedApprovers", { who: by.join(", ") }), message].filter(Boolean).join(" ");
  }
  return undefined;
}
