import type { ChangeSet, Check, Conflict, Resolution, Review } from "./queries";

/** What people call a change set. */
export function titleOf({ title, name }: { title?: string; name: string }): string {
  return title || name;
}

/** What has to be done next with a change set. */
export type Step = "merged" | "closed" | "stage" | "checking" | "rebase" | "unreadable" | "correct" | "rejected" | "approve" | "merge" | "blocked";

/** The next step to a merge, which the first thing in its way decides. */
export function nextStep(changeSet: ChangeSet, check: Check | undefined): Step {
  if (changeSet.state !== "open") return changeSet.state;
  if (changeSet.total === 0) return "stage";
  if (check === undefined) return "checking";
  if ((check.conflicts ?? []).length > 0) return "rebase";
  if ((check.unreadable ?? 0) > 0) return "unreadable";
  if ((check.errors ?? []).length > 0) return "correct";
  if ((check.rejectedBy ?? []).length > 0) return "rejected";
  if (missingOf(check) > 0) return "approve";
  return check.mergeable ? "merge" : "blocked";
}

/** How many approvals are missing: one can count for several protections. */
export function missingOf({ protections = [] }: Check): number {
  return Math.max(0, ...protections.map(({ missing }) => missing));
}

/** The latest decision of each reviewer about what is staged now. */
export function decisionsOf(reviews: Review[] = []): Review[] {
  const latest = new Map<string, Review>();
  for (const review of reviews) {
    if (review.decision !== "comment" && review.current) latest.set(review.by ?? "", review);
  }
  return [...latest.values()];
}

/** What tells conflicts apart. */
export function keyOf({ id, path }: { id: string; path: string }): string {
  return `${id} ${path}`;
}

/** The decisions for a rebase; undefined while one is missing. */
export function resolutionsOf(conflicts: Conflict[], taken: ReadonlyMap<string, Resolution["take"]>): Resolution[] | undefined {
  const decided = conflicts.flatMap((conflict) => {
    const take = taken.get(keyOf(conflict));
    return take === undefined ? [] : [{ id: conflict.id, path: conflict.path, take }];
  });
  return decided.length === conflicts.length ? decided : undefined;
}

/** A name that the API takes, made of a title. */
export function nameFor(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).replace(/-+$/, "");
}
