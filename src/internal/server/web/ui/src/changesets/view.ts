import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";

/** Goes on with the same page in a change set, or with undefined in what is stored. */
export function useView(): (changeSet: string | undefined) => void {
  const router = useRouter();
  return useCallback((changeSet) => void router.navigate({ to: ".", search: (before: object) => ({ ...before, changeSet, asOf: undefined }) }), [router]);
}
