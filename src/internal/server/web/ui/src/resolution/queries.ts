import { queryOptions } from "@tanstack/react-query";
import { messageHeader, send } from "../api/client";
import type { Envelope } from "../api/documents";
import { inView } from "../api/view";

/** A constraint: the text of a call, or a map with one member. */
export type Constraint = string | Record<string, unknown>;

/** What an ActiveResolution asks for. */
export interface Spec {
  sources?: string[];
  constraints?: Constraint[];
  timeoutSeconds?: number;
  policy?: string | Record<string, unknown>;
  installed?: { name: string; version: string }[];
}

/** Why a version was selected: for a constraint, by its index, or for another one. */
export interface Selected {
  selection: string;
  why: { constraint: number; by?: string; need: string };
  ruledOut?: { candidate: string; constraints?: number[]; text: string }[]; // what would have been preferred
  moreRuledOut?: number;
}

/** Why there is no solution. Constraints are given by their indexes. */
export interface Unsat {
  core: number[];
  noMatch: { constraint: number; stage: string }[];
  message: string;
  packages: string[];
  facts: { package: string; candidates?: string[]; text: string }[];
  fixes: { without: number[]; selections: string[] }[];
  incomplete?: boolean;
  derivation?: DerivationStep[]; // where it was asked for
}

/** A step of the proof that there is no solution. */
export interface DerivationStep {
  constraints?: number[]; // by their indexes
  facts?: number[]; // indexes of the facts
  steps?: number[]; // steps before, from 1
  therefore: string;
}

/** What came of constraints. */
export interface Outcome {
  message: string;
  selections?: string[];
  explanation?: Selected[];
  unsat?: Unsat;
  timedOut?: boolean;
}

/** What the controller says of an ActiveResolution. */
export interface Status extends Partial<Outcome> {
  conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[];
  error?: { reason: string; index: number };
  entities?: { package: string; image: string }[];
  bundle?: { path: string; digest: string };
  plan?: Step[];
  planDigest?: string;
  rollback?: Rollback;
  approval?: { by: string; time: string };
  activation?: { time: string; installed: { name: string; version: string }[]; rollback?: Rollback };
}

/** A package that is added (from nothing), removed (to nothing) or gets another version. */
export interface Step {
  package: string;
  from: string | null;
  to: string | null;
  source?: string; // of the version that comes, where several sources have it
}

/** The way back, or why there is none. */
export interface Rollback {
  steps?: Step[];
  impossible?: string;
}

/** Approves the plan with a digest. */
export async function approvePlan(name: string, plan: string, message: string): Promise<void> {
  await send("POST", `/api/active-resolutions/${encodeURIComponent(name)}/approve`, { "Content-Type": "application/json", ...messageHeader(message) }, JSON.stringify({ plan }));
}

/** An ActiveResolution. */
export interface Resolution extends Envelope {
  status?: Status;
}

/** The ActiveResolution of a name, with its status. */
export function resolutionQuery(name: string) {
  return queryOptions({
    queryKey: ["resolution", name],
    queryFn: async () => (await (await send("GET", inView(`/v2/active-resolutions/${encodeURIComponent(name)}?view=document`))).json()) as Resolution,
  });
}

/** A selection as the API answers it when it explains one: in parts, not as one text. */
interface Explained extends Omit<Selected, "selection"> {
  source: string;
  package: string;
  version: string;
  channel: string;
}

/** Resolves a spec without some of its constraints, and stores nothing. Indexes in the answer are those of the whole spec. */
export function trialQuery(spec: Spec, without: number[]) {
  return queryOptions({
    queryKey: ["trial", spec, without],
    queryFn: async (): Promise<Outcome> => {
      const kept = (spec.constraints ?? []).map((constraint, at) => ({ constraint, at })).filter(({ at }) => !without.includes(at));
      const body = JSON.stringify({ spec: { ...spec, constraints: kept.map(({ constraint }) => constraint) } });
      const response = await send("POST", inView("/api/resolve?explain=true"), { "Content-Type": "application/json" }, body);
      const { explanation = [], ...answer } = (await response.json()) as Omit<Outcome, "explanation"> & { explanation?: Explained[] };
      const place = (index: number) => kept[index]?.at ?? index;
      return {
        ...answer,
        explanation: explanation.map(({ source, package: name, version, channel, ...rest }) => ({
          ...rest,
          selection: [source, name, version, channel].join(":"),
          why: { ...rest.why, constraint: place(rest.why.constraint) },
          ruledOut: rest.ruledOut?.map((ruled) => ({ ...ruled, text: ruled.text.replaceAll(/\[(\d+)\]/g, (text, at: string) => (ruled.constraints?.includes(Number(at)) ? `[${place(Number(at))}]` : text)) })),
        })),
        unsat: answer.unsat && replaced(answer.unsat, place),
      };
    },
  });
}

function replaced(unsat: Unsat, place: (index: number) => number): Unsat {
  return {
    ...unsat,
    core: unsat.core.map(place),
    noMatch: unsat.noMatch.map((none) => ({ ...none, constraint: place(none.constraint) })),
    derivation: unsat.derivation?.map((step) => ({ ...step, constraints: step.constraints?.map(place), therefore: step.therefore.replaceAll(/\[(\d+)\]/g, (_, at: string) => `[${place(Number(at))}]`) })),
    fixes: unsat.fixes.map((fix) => ({ ...fix, without: fix.without.map(place) })),
  };
}
