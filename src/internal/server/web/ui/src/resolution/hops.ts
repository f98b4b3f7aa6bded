import type { Status, Spec, Step } from "./queries";

/** A package on its way from what is installed to what is selected; null is not there. */
export interface Way {
  name: string;
  now: string | null;
  via: string[]; // the versions between
  selected: string | null;
}

/** The packages that are installed, selected or changed by a plan, each with its way, those that change first. */
export function waysOf(spec: Spec, { activation, selections = [], plan = [] }: Status): Way[] {
  const installed = new Map((spec.installed ?? activation?.installed ?? []).map(({ name, version }) => [name, version]));
  const selected = new Map(selections.map((selection) => selection.split(":")).map(([, name = "", version = ""]) => [name, version]));
  const names = new Set([...plan.map((step) => step.package), ...[...installed.keys(), ...selected.keys()].sort()]);
  return [...names].map((name) => {
    const steps = plan.filter((step) => step.package === name);
    const first = steps[0];
    return { name, now: first ? first.from : (installed.get(name) ?? null), via: steps.slice(0, -1).flatMap(({ to }) => (to === null ? [] : [to])), selected: selected.get(name) ?? null };
  });
}

/** Which of the steps of its package each step is, and of how many. */
export function hopsOf(steps: Step[]): { hop: number; of: number }[] {
  return steps.map((step, i) => ({
    hop: steps.slice(0, i + 1).filter((other) => other.package === step.package).length,
    of: steps.filter((other) => other.package === step.package).length,
  }));
}
