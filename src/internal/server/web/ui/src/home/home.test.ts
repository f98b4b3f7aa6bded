import { describe, expect, test } from "vitest";
import { expiringBy, isExpired } from "./expired";
import { countsByDay } from "./week";

const now = Date.parse("2026-11-26T12:00:00Z");
const change = (op: "created" | "updated" | "deleted", kind = "cluster") => ({ op, id: `${kind}/x`, kind, version: "1" });
const at = (daysAgo: number, ...changes: ReturnType<typeof change>[]) => ({ time: new Date(now - daysAgo * 86_400_000).toISOString(), changes });

describe("the counts of a week", () => {
  test.each([
    { name: "nothing happened", count: 3, transactions: [], want: [3, 3, 3, 3, 3, 3, 3, 3] },
    { name: "two came yesterday, one went today", count: 4, transactions: [at(0.5, change("deleted")), at(1.5, change("created"), change("created"))], want: [3, 3, 3, 3, 3, 3, 5, 4] },
    { name: "updates and other kinds do not count", count: 1, transactions: [at(0, change("updated"), change("created", "environment"))], want: [1, 1, 1, 1, 1, 1, 1, 1] },
    { name: "what is older does not count", count: 1, transactions: [at(9, change("created"))], want: [1, 1, 1, 1, 1, 1, 1, 1] },
  ])("$name", ({ count, transactions, want }) => {
    expect(countsByDay(now, count, "cluster", transactions)).toEqual(want);
  });
});

test("environments that have expired are among those that are asked for", () => {
  expect(expiringBy(now)).toBe("spec.definition.metadata.expirationDate<2026-11-27");
});

test.each([
  { name: "a past day", date: "2026-11-20", want: true },
  { name: "today", date: "2026-11-26", want: false },
  { name: "a day to come", date: "2027-01-01", want: false },
  { name: "a past moment", date: "2026-11-26T11:59:00Z", want: true },
  { name: "no date", date: "soon", want: false },
  { name: "nothing", date: undefined, want: false },
])("an environment with $name as its expiry date: $want", ({ date, want }) => {
  expect(isExpired({ spec: { definition: { metadata: { expirationDate: date } } } }, now)).toBe(want);
});
