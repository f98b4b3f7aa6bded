import type { Reference } from "./references";

/** The states of the documents of a kind, and the actions between them. */
export interface Lifecycle {
  initial: string;
  states: string[];
  actions: LifecycleAction[];
  freeze?: { put?: string[]; delete?: string[]; children?: Record<string, string[]> };
}

/** One action: where it leads, and what its body refers to. */
export interface LifecycleAction {
  action: string;
  transitions: { from?: string[]; to?: string }[]; // without from, from all states; without to, the state stays
  references?: Reference[];
}

/** The states in which an action is possible; all of them where it does not say. */
export function statesOf(lifecycle: Lifecycle, { transitions }: LifecycleAction): string[] {
  return lifecycle.states.filter((state) => transitions.some(({ from }) => !from || from.includes(state)));
}

/** The state that an action leads to. */
export function nextState({ transitions }: LifecycleAction, state: string): string {
  return transitions.find(({ from }) => !from || from.includes(state))?.to ?? state;
}

/** What a state does not allow. */
export interface Forbidden {
  put: boolean;
  delete: boolean;
  children: string[]; // the kinds of which no child is created, changed or deleted
}

/** What is frozen in a state; nothing while the state is not known. */
export function forbids(lifecycle: Lifecycle | undefined, state: string | undefined): Forbidden {
  const has = (states: string[] = []) => state !== undefined && states.includes(state);
  const { put, delete: deleted, children = {} } = lifecycle?.freeze ?? {};
  return { put: has(put), delete: has(deleted), children: Object.keys(children).filter((kind) => has(children[kind])) };
}
