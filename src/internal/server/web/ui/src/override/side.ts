import type { Outline } from "./outline";
import type { Choice } from "./place";

/** An application of a namespace. */
export interface Place {
  namespace: string;
  application: string;
}

/** The applications that an override applies to. */
export function reachOf({ level, namespace, application }: Choice, outline: Outline): Place[] {
  const all = outline.namespaces.flatMap(({ name, applications }) => applications.map((one): Place => ({ namespace: name, application: one.name })));
  if (level === "environment") return all;
  const inside = all.filter((place) => place.namespace === namespace);
  return level === "namespace" ? inside : inside.filter((place) => place.application === application);
}

/** The choice with an application whose effective set is shown: the one that is chosen, or else the first that the override applies to. */
export function viewed(choice: Choice, outline: Outline | undefined): Choice {
  const { context, level, namespace, application } = choice;
  if (context === "pipeline" || level === "application" || outline === undefined || (namespace !== "" && application !== "")) return choice;
  const reach = reachOf(choice, outline);
  const first = reach.find((place) => namespace === "" || place.namespace === namespace);
  return first ? { ...choice, ...first } : choice;
}
