import { useQuery } from "@tanstack/react-query";
import { modelQuery } from "../api/queries";
import { inView } from "../api/view";
import { useReveal, type Reveal } from "../shell/Secrets";
import { documentOf } from "./documentOf";
import type { Choice } from "./place";
import { isSecret, type EffectiveSet } from "./queries";

/** The generated files that give the secrets of an effective set: a record is made of each when they are shown. */
export function secretParts(choice: Choice, set: EffectiveSet): string[] {
  const parts = [...set.chains].filter(([pointer]) => isSecret(set, pointer)).flatMap(([, chain]) => chain.filter(({ file }) => file).map((source) => documentOf(choice, source)));
  return [...new Set(parts.filter((id) => id !== undefined))];
}

/** Whether the secrets of an effective set are shown, and how that is asked for. */
export function useRevealSet(choice: Choice, set: EffectiveSet | undefined): Reveal {
  const model = useQuery(modelQuery).data;
  const paths = set === undefined ? [] : secretParts(choice, set).map((id) => model?.itemPath(id)).filter((path) => path !== undefined);
  return useReveal(false, paths.map((path) => inView(path)));
}
