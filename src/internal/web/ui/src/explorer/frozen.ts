import { useQuery } from "@tanstack/react-query";
import { standingQuery } from "../api/lifecycle";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";

/** Why something cannot be done with a document now, in words; what is absent can. */
export interface Frozen {
  put?: string;
  delete?: string;
  children: Record<string, string>; // by kind, why none is created
}

/**
 * What the state of a document, and that of its parent, do not allow. A change set is held to the states of the time of its merge:
 * in one nothing is frozen.
 */
export function useFrozen(model: Model, kind: Kind, id: string, path: string): Frozen {
  const t = useTexts();
  const above = model.ancestors(id).at(-1);
  const parent = above === undefined ? undefined : model.kindOf(above);
  const parentPath = above === undefined ? undefined : model.itemPath(above);
  const asked = changeSet() === "";
  const own = useQuery({ ...standingQuery(path), enabled: asked && kind.lifecycle?.freeze !== undefined });
  const theirs = useQuery({ ...standingQuery(parentPath ?? ""), enabled: asked && parentPath !== undefined && parent?.lifecycle?.freeze?.children?.[kind.name] !== undefined });
  const state = own.data?.lifecycle.state;
  const parentState = theirs.data?.lifecycle.state;
  const { put = [], delete: deleted = [], children = {} } = kind.lifecycle?.freeze ?? {};
  const byParent = parent && parentState !== undefined && parent.lifecycle?.freeze?.children?.[kind.name]?.includes(parentState) ? t.frozenByParent(parent.name, parentState) : undefined;
  const inState = (states: string[], say: (state: string) => string) => (state !== undefined && states.includes(state) ? say(state) : undefined);
  return {
    put: inState(put, t.frozenPutIn) ?? byParent,
    delete: inState(deleted, t.frozenDeleteIn) ?? byParent,
    children: Object.fromEntries(Object.entries(children).flatMap(([name, states]) => (state !== undefined && states.includes(state) ? [[name, t.frozenCreateIn(state)]] : []))),
  };
}
