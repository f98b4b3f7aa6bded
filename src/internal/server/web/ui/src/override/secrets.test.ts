import { describe, expect, test } from "vitest";
import { dots } from "../model/secrets";
import { readYaml } from "../yaml/merge";
import { keptOf, takenUp } from "./draft";
import type { EffectiveSet } from "./queries";
import { masked, secretsIn, withoutSecrets } from "./secrets";

const set = { secrets: new Set(["/db/url"]), toBe: readYaml("{}").contents, chains: new Map() } as unknown as EffectiveSet;
const secretOf = secretsIn(set);
const text = "# hunter2 is the old one\nA: 1.10 # note\ndb:\n  url: pg://hunter2\n  user: me\nDB_PASSWORD: hunter2\nTOKEN: ${creds.get('x').secret}\n";

describe("secrets of an override", () => {
  test.each([
    { name: "what a file of credentials gives", path: ["db", "url"], value: "x", want: true },
    { name: "what is below that", path: ["db", "url", "host"], value: "x", want: true },
    { name: "what has the name of a secret", path: ["auth", "clientSecret"], value: "x", want: true },
    { name: "a password in capitals", path: ["DB_PASSWD"], value: "x", want: true },
    { name: "a macro", path: ["DB_PASSWORD"], value: "${creds.get('db').password}", want: false },
    { name: "text beside a macro", path: ["DB_PASSWORD"], value: "hunter${X}", want: true },
    { name: "anything else", path: ["LOG_LEVEL"], value: "debug", want: false },
  ])("$name", ({ path, value, want }) => {
    expect(secretOf(path, value)).toBe(want);
  });

  test("are masked, comments with them, and nothing else changes", () => {
    expect(masked(text, secretOf)).toBe(`A: 1.10\ndb:\n  url: ${dots}\n  user: me\nDB_PASSWORD: ${dots}\nTOKEN: \${creds.get('x').secret}\n`);
    expect(masked("A: 1 # note\n", secretOf)).toBe("A: 1 # note\n");
    expect(masked("DB_PASSWORD: [hunter2", secretOf)).not.toContain("hunter2");
  });

  test("are left out of what is kept", () => {
    const kept = withoutSecrets(text, secretOf);
    expect(kept?.text).not.toContain("hunter2");
    expect(kept?.text).toContain("A: 1.10");
    expect([...(kept?.secrets.keys() ?? [])]).toEqual(["/db/url", "/DB_PASSWORD"]);
    expect(withoutSecrets("- hunter2\n", secretOf)).toBeUndefined();
    expect(withoutSecrets("DB_PASSWORD: [hunter2", secretOf)).toBeUndefined();
  });
});

describe("a draft that the window keeps", () => {
  const stored = { text: "A: old\nDB_PASSWORD: st0red\n", version: "1" };

  test("goes on where what is stored is the same", () => {
    const kept = keptOf(stored, "A: mine\nDB_PASSWORD: hunter2\nB: 1\n", secretOf);
    expect(JSON.stringify(kept)).not.toMatch(/hunter2|st0red/);
    expect(takenUp(kept, stored)).toEqual({ edited: { base: stored, text: "A: mine\nB: 1\nDB_PASSWORD: st0red\n" }, restored: { left: 1, overtaken: false } });
  });

  test("is put aside where it is another one", () => {
    const kept = keptOf(stored, "A: mine\nDB_PASSWORD: st0red\n", secretOf);
    expect(takenUp(kept, { ...stored, version: "2" })).toEqual({ aside: { base: "A: old\n", text: "A: mine\n" }, restored: { left: 0, overtaken: true } });
  });

  test("is none without changes", () => {
    expect(takenUp(undefined, stored)).toEqual({});
    expect(takenUp(keptOf(stored, stored.text, secretOf), stored)).toEqual({});
  });
});
