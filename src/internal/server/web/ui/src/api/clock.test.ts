import { afterEach, expect, test, vi } from "vitest";
import { noteTime, serverNow } from "./clock";

const local = Date.parse("2026-05-20T12:00:00Z");

afterEach(() => {
  vi.useRealTimers();
  noteTime({ headers: new Headers({ Date: new Date().toUTCString() }) });
});

test.each([
  { name: "the same time", headers: { Date: "Wed, 20 May 2026 12:00:01 GMT" }, want: 0 },
  { name: "a browser that is an hour behind", headers: { Date: "Wed, 20 May 2026 13:00:00 GMT" }, want: 3_600_000 },
  { name: "a browser that is a day ahead", headers: { Date: "Tue, 19 May 2026 12:00:00 GMT" }, want: -86_400_000 },
  { name: "an answer of a cache", headers: { Date: "Tue, 19 May 2026 12:00:00 GMT", Age: "86400" }, want: 0 },
  { name: "an answer without a time", headers: {}, want: 0 },
])("$name", ({ headers, want }) => {
  vi.useFakeTimers({ now: local });
  noteTime({ headers: new Headers(headers as Record<string, string>) });
  expect(serverNow() - local).toBe(want);
});
