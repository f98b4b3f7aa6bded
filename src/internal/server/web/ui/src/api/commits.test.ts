import { describe, expect, test } from "vitest";
import { addressOf, commitOf } from "./commits";

const hash = "0123456789abcdef0123456789abcdef01234567";

describe("commits", () => {
  test.each([
    { name: "at a host", url: "https://github.com/a/b/commit/{commit}", commit: hash, want: `https://github.com/a/b/commit/${hash}` },
    { name: "of SHA-256", url: "http://git.example.com/?h={commit}", commit: hash + hash.slice(0, 24), want: `http://git.example.com/?h=${hash}${hash.slice(0, 24)}` },
    { name: "nowhere", url: null, commit: hash },
    { name: "no place that a page leads to", url: "javascript:alert('{commit}')", commit: hash },
    { name: "no hash", url: "https://github.com/a/b/commit/{commit}", commit: "../../evil" },
    { name: "a short hash", url: "https://github.com/a/b/commit/{commit}", commit: "0123456" },
  ])("an address: $name", ({ url, commit, want }) => {
    expect(addressOf(url, commit)).toBe(want);
  });

  test.each([
    { name: "of Git", origin: `git:${hash}`, want: hash },
    { name: "of a change set", origin: `changeSet:${hash}` },
    { name: "of something else", origin: "git:main" },
    { name: "none", origin: undefined },
  ])("the commit of an origin: $name", ({ origin, want }) => {
    expect(commitOf(origin)).toBe(want);
  });
});
