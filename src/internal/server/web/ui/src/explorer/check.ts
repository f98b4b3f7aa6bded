import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, isProtected, type Problem } from "../api/problem";
import { serverMarks, syntaxMarks, type Mark } from "../yaml/diagnostics";

/** What is known to be wrong with a text. */
export interface Check {
  marks: Mark[];
  state: "idle" | "checking" | "done" | "failed";
  problem?: Problem; // why the server refuses the text, or refused it as it was a moment ago
}

const delay = 400;

/** After how long an answer is asked for again: what others write meanwhile may change it. */
const renewal = 10_000;

/**
 * Checks a text once the user pauses: its syntax here, all else by a dry run of the write on the server. key tells what the write is; without text that changed there is nothing to check.
 */
export function useCheck(key: string, text: string, enabled: boolean, dryRun: (text: string) => Promise<unknown>): Check {
  const [paused] = useDebouncedValue(text, delay);
  const syntax = useMemo(() => syntaxMarks(paused), [paused]);
  const asked = enabled && syntax.length === 0 && paused === text;
  const answer = useQuery({
    queryKey: ["check", key, paused],
    queryFn: () => refusal(() => dryRun(paused)),
    enabled: asked,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: renewal,
    refetchOnWindowFocus: "always",
    placeholderData: keepPreviousData,
  });
  const known = asked && answer.isSuccess && !answer.isPlaceholderData;
  const failed = asked && answer.isError;
  const problem = answer.data ?? undefined;
  const server = useMemo(() => (known && problem ? serverMarks(text, problem) : []), [known, problem, text]);
  if (syntax.length > 0 && paused === text) return { marks: syntax, state: "done" };
  if (!enabled) return { marks: [], state: "idle" };
  return { marks: server, state: known ? "done" : failed ? "failed" : "checking", problem };
}

/** Statuses that say something about the version, not about the text; and neither does a protection. */
const notTheText = new Set([412, 428]);

async function refusal(write: () => Promise<unknown>): Promise<Problem | null> {
  try {
    await write();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return notTheText.has(error.problem.status) || isProtected(error) ? null : error.problem;
  }
}
