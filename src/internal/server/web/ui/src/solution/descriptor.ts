import type { components } from "../api/openapi";

/** A solution descriptor as the API has it. */
export type Descriptor = components["schemas"]["SolutionDescriptor"];

/** One application of a descriptor. */
export interface Application {
  name: string;
  version: string;
  deployPostfix?: string;
  alias?: string;
}

/** One step of the deployment with the applications that go together. */
export interface Chunk {
  name: string;
  apps: string[];
}

/** The applications, in their order. An entry is `name:version`, or an object with it. */
export function applicationsOf(descriptor: Descriptor): Application[] {
  return descriptor.applications.map((entry) => {
    const given = typeof entry === "string" ? { version: entry } : entry;
    const text = String(given.version);
    const colon = text.indexOf(":");
    const [name, version] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
    return { name, version, deployPostfix: textOf(given.deployPostfix), alias: textOf(given.alias) };
  });
}

/** The chunks of the deployGraph, in their order; none when there is no graph that can be read. */
export function chunksOf(descriptor: Descriptor | undefined): Chunk[] {
  const graph: unknown = descriptor?.deployGraph;
  if (!Array.isArray(graph)) return [];
  return graph.map((chunk: { chunkName?: unknown; apps?: unknown }, i) => ({
    name: textOf(chunk.chunkName) ?? String(i + 1),
    apps: Array.isArray(chunk.apps) ? chunk.apps.map(String) : [],
  }));
}

/** What became of something between two descriptors. */
export type Mark = "added" | "removed" | "same";

/** A chunk with what became of its applications. */
export interface MarkedChunk {
  name: string;
  mark: Mark;
  apps: { name: string; mark: Mark }[];
}

/** The chunks of after with those of before that are gone at the end, and the same for their applications. */
export function compareChunks(before: Chunk[] | undefined, after: Chunk[]): MarkedChunk[] {
  if (!before) return after.map(({ name, apps }) => ({ name, mark: "same", apps: apps.map((app) => ({ name: app, mark: "same" })) }));
  const old = new Map(before.map((chunk) => [chunk.name, chunk.apps]));
  const current = after.map<MarkedChunk>(({ name, apps }) => {
    const had = old.get(name) ?? [];
    const kept = apps.map((app) => ({ name: app, mark: had.includes(app) ? ("same" as const) : ("added" as const) }));
    const gone = had.filter((app) => !apps.includes(app)).map((app) => ({ name: app, mark: "removed" as const }));
    return { name, mark: old.has(name) ? "same" : "added", apps: [...kept, ...gone] };
  });
  const names = new Set(after.map((chunk) => chunk.name));
  const gone = before.filter((chunk) => !names.has(chunk.name));
  return [...current, ...gone.map<MarkedChunk>(({ name, apps }) => ({ name, mark: "removed", apps: apps.map((app) => ({ name: app, mark: "removed" })) }))];
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
