import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { coveringPlace, rightsQuery, type Protection } from "../api/access";
import { isProtected, problemOf, protectedIds } from "../api/problem";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";

/**
 * Why documents, which need not exist, cannot be changed at once, in words: which protection leaves the way through a change set only,
 * and what that needs. It is undefined where none does, and in a change set, where nothing is changed yet.
 */
export function useProtection(ids: string[]): string | undefined {
  const t = useTexts();
  const protections = useQuery(rightsQuery).data?.protections;
  const found = useMemo(() => findProtection(protections ?? [], ids), [ids, protections]);
  if (changeSet() !== "" || !found) return undefined;
  const { approvals, by = [], message } = found.protection;
  return [t("changesets.protectedBy", { name: found.name, n: approvals }), by.length > 0 && t("changesets.protectedApprovers", { who: by.join(", ") }), message].filter(Boolean).join(" ");
}

/**
 * Why what a dialog plans cannot be done at once: a protection of the documents, or of one that the server found to be changed with
 * them. It is undefined where the dialog goes on in a change set.
 */
export function useProtectedPlan(ids: string[], error: unknown, where?: string): string | undefined {
  const reason = useProtection(useMemo(() => [...ids, ...protectedIds(error)], [ids, error]));
  if (where !== undefined) return undefined;
  return reason ?? (isProtected(error) ? problemOf(error).detail : undefined);
}

/** The first protection that covers one of some documents, and the place of it that does. */
function findProtection(protections: Protection[], ids: string[]): { name: string; protection: Protection } | undefined {
  for (const id of ids) {
    for (const protection of protections) {
      const name = coveringPlace(protection, id);
      if (name !== undefined) return { name, protection };
    }
  }
  return undefined;
}
