import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../api/client";
import type { components } from "../api/openapi";
import { isNotFound } from "../api/problem";
import { viewQuery } from "../api/view";
import type { Descriptor } from "./descriptor";

/** Which of the two descriptors of an environment. */
export type Part = "full" | "delta";

/** What a merge did, or would do. */
export type Report = components["schemas"]["SolutionReport"];

/** The ways to merge. */
export const modes = ["basic-merge", "basic-exclusion-merge", "extended-merge", "replace"] as const;

export type Mode = (typeof modes)[number];

/** A stored descriptor, null when there is none. */
export function descriptorQuery(environment: string, part: Part) {
  return queryOptions({
    queryKey: ["descriptor", environment, part],
    queryFn: async (): Promise<Descriptor | null> => {
      try {
        return bodyOf(await api.GET("/api/sd", { params: { query: { environmentId: environment, kind: part, ...viewQuery() } } }));
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
  });
}

/** Merges a text into the descriptors of an environment, or with dryRun says what would come of it. */
export async function processDelta(environment: string, text: string, mode: Mode, dryRun: boolean): Promise<Report> {
  return bodyOf(
    await api.POST("/api/sd/process", {
      params: { query: { environmentId: environment, dryRun, ...viewQuery() } },
      body: { SD_SOURCE_TYPE: "json", SD_DATA: text, SD_MERGE_MODE: mode },
    }),
  );
}
