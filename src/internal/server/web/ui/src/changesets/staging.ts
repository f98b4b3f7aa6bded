import { useState } from "react";
import { useProtectedPlan } from "./protection";

/** A mutation that writes in a change set, or where the page works. */
interface Writing {
  mutateAsync: (changeSet: string | undefined) => Promise<unknown>;
  reset: () => void;
}

/** The change set in which a dialog goes on to plan and to write; undefined where the page works. */
export interface Place {
  where?: string;
  goTo: (changeSet: string) => void;
}

/** The place of a dialog, at first where the page works. */
export function usePlace(): Place {
  const [where, goTo] = useState<string>();
  return { where, goTo };
}

/**
 * How a dialog that plans before it writes stages that instead: at once, or, where a protection refused the plan itself, by going on in
 * the change set, so that the plan is seen before anything is staged.
 */
export function useStaging({ where, goTo }: Place, ids: string[], error: unknown, writing: Writing) {
  const direct = useProtectedPlan(ids, error, where);
  const stage = async (changeSet: string) => {
    if (direct === undefined) {
      await writing.mutateAsync(changeSet);
      return;
    }
    writing.reset();
    goTo(changeSet);
  };
  return { direct, stage };
}
