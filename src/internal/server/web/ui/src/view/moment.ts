import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import { moment } from "../api/view";
import { useTexts } from "../i18n/texts";

/** Goes on with the same page as it was at a moment: a time or a position of the history. */
export function useEnterMoment(): (asOf: string) => void {
  const router = useRouter();
  return useCallback((asOf) => void router.navigate({ to: ".", search: (before: object) => ({ ...before, asOf, changeSet: undefined }) }), [router]);
}

/** Why nothing can be changed where the page shows the past. */
export function useReadOnly(): string | undefined {
  const t = useTexts();
  return moment() === "" ? undefined : t("view.readOnly");
}

/** Why nothing can be changed on a page of what is stored now, while the others show the past. */
export function useReadOnlyNow(): string | undefined {
  const t = useTexts();
  return moment() === "" ? undefined : t("view.readOnlyNow");
}

/** A moment in words: a time as it is read here, or else the position that it is. */
export function useMomentText(): (asOf: string) => string {
  const t = useTexts();
  return (asOf) => {
    const time = isTime(asOf) ? new Date(asOf) : undefined;
    return time === undefined || Number.isNaN(time.getTime()) ? t("view.positionIs", { position: asOf }) : t("view.timeIs", { time });
  };
}

/** Whether a moment is a time, with or without the hour; a position has no hyphens. */
function isTime(asOf: string): boolean {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(asOf);
}
