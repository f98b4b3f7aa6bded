import { afterEach, describe, expect, test, vi } from "vitest";
import { readSource } from "./documents";

afterEach(() => vi.unstubAllGlobals());

/** A server whose document has one version in JSON and these in YAML, one after the other. */
function serve(...tags: string[]) {
  const left = [...tags];
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", (path: string) =>
    Promise.resolve(path.endsWith("?view=document") ? Response.json({ etag: '"1"' }) : new Response(`read: ${left.length}\n`, { headers: { ETag: left.shift() ?? "" } })),
  );
  return () => tags.length - left.length;
}

describe("a document is read as JSON and as YAML", () => {
  test.each([
    { name: "of one version", tags: ['"1"', '"1"'], reads: 1 },
    { name: "through a proxy that makes tags weak", tags: ['W/"1"', '"1"'], reads: 1 },
    { name: "again when it changed meanwhile", tags: ['"0"', '"1"', '"1"'], reads: 2 },
    { name: "not for ever when it keeps changing", tags: Array.from({ length: 20 }, (_, i) => `"${i + 2}"`), reads: 5 },
  ])("$name", async ({ tags, reads }) => {
    const count = serve(...tags);
    expect((await readSource("/v2/things/a")).yaml).toBe(`read: ${tags.length - reads + 1}\n`);
    expect(count()).toBe(reads);
  });
});
