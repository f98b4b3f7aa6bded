import { afterEach, describe, expect, test, vi } from "vitest";
import { changeSet, inView, viewQuery } from "../api/view";
import { deleteDocument, postDocument, putDocument } from "../api/documents";
import { mergeChangeSet, rebaseChangeSet, unstage, type ChangeSet, type Check, type Conflict, type Review } from "./queries";
import { decisionsOf, keyOf, missingOf, nameFor, nextStep, resolutionsOf, titleOf } from "./review";
import { textOf } from "./text";

afterEach(() => vi.unstubAllGlobals());

const open: ChangeSet = { name: "a", state: "open", base: "c1", created: "2026-11-22T12:00:00Z", total: 2, version: "v-1" };
const passed: Check = { mergeable: true, conflicts: [], errors: [], protections: [], rejectedBy: [] };
const conflict: Conflict = { id: "cluster/a", path: "/spec/x", message: "is 3 now", base: 1, staged: 2, now: 3 };
const protection = { on: ["cluster/a"], approvals: 2, missing: 1 };

describe("the next step with a change set", () => {
  test.each([
    { name: "merged, whatever the check says", changeSet: { ...open, state: "merged" as const }, check: passed, want: "merged" },
    { name: "closed", changeSet: { ...open, state: "closed" as const }, check: undefined, want: "closed" },
    { name: "empty", changeSet: { ...open, total: 0 }, check: undefined, want: "stage" },
    { name: "only with what the reader may not read", changeSet: { ...open, unreadable: 2, operations: [] }, check: passed, want: "merge" },
    { name: "not checked yet", changeSet: open, check: undefined, want: "checking" },
    { name: "conflicts come first", changeSet: open, check: { ...passed, mergeable: false, conflicts: [conflict], errors: [{ code: "invalid", message: "no" }], protections: [protection] }, want: "rebase" },
    { name: "then what the reader may not read, which is an error, too", changeSet: open, check: { ...passed, mergeable: false, unreadable: 1, errors: [{ code: "forbidden", message: "no" }] }, want: "unreadable" },
    { name: "then errors", changeSet: open, check: { ...passed, mergeable: false, errors: [{ code: "invalid", message: "no" }], protections: [protection] }, want: "correct" },
    { name: "then rejections", changeSet: open, check: { ...passed, mergeable: false, rejectedBy: ["bob"], protections: [protection] }, want: "rejected" },
    { name: "then approvals", changeSet: open, check: { ...passed, mergeable: false, protections: [{ ...protection, missing: 0 }, protection] }, want: "approve" },
    { name: "nothing in its way", changeSet: open, check: { ...passed, protections: [{ ...protection, missing: 0 }] }, want: "merge" },
    { name: "a reason that is not named", changeSet: open, check: { ...passed, mergeable: false }, want: "blocked" },
    { name: "an answer that leaves out what is empty", changeSet: open, check: { mergeable: true }, want: "merge" },
  ])("$name", ({ changeSet: of, check, want }) => {
    expect(nextStep(of, check)).toBe(want);
  });

  test("one approval can count for several protections", () => {
    expect(missingOf({ ...passed, protections: [protection, { ...protection, missing: 2 }] })).toBe(2);
    expect(missingOf({ mergeable: true })).toBe(0);
  });
});

const review = (by: string, decision: Review["decision"], current = true): Review => ({ by, decision, current, time: "2026-11-22T12:00:00Z" });

describe("reviews", () => {
  test.each([
    { name: "none", reviews: undefined, want: [] },
    { name: "comments decide nothing", reviews: [review("bob", "comment")], want: [] },
    { name: "the latest decision of each counts", reviews: [review("bob", "approve"), review("carol", "approve"), review("bob", "reject")], want: ["bob reject", "carol approve"] },
    { name: "decisions about an earlier state do not", reviews: [review("bob", "approve", false), review("carol", "reject", false)], want: [] },
    { name: "an earlier one does not undo the present one", reviews: [review("bob", "approve"), review("bob", "comment")], want: ["bob approve"] },
  ])("$name", ({ reviews, want }) => {
    expect(decisionsOf(reviews).map(({ by, decision }) => `${by} ${decision}`)).toEqual(want);
  });
});

describe("the decisions for a rebase", () => {
  const other = { ...conflict, path: "" };

  test.each([
    { name: "no conflicts", conflicts: [], taken: new Map(), want: [] },
    { name: "one is missing", conflicts: [conflict, other], taken: new Map([[keyOf(conflict), "now"]]), want: undefined },
    {
      name: "all", conflicts: [conflict, other], taken: new Map([[keyOf(other), "staged"], [keyOf(conflict), "now"]]),
      want: [{ id: "cluster/a", path: "/spec/x", take: "now" }, { id: "cluster/a", path: "", take: "staged" }],
    },
    { name: "one of a conflict that is gone is not sent", conflicts: [conflict], taken: new Map([[keyOf(other), "staged"], [keyOf(conflict), "now"]]), want: [{ id: "cluster/a", path: "/spec/x", take: "now" }] },
  ])("$name", ({ conflicts, taken, want }) => {
    expect(resolutionsOf(conflicts, taken as Map<string, "staged" | "now">)).toEqual(want);
  });
});

test.each([
  { title: "Raise limits", want: "raise-limits" },
  { title: "  Größe: 4 GiB!  ", want: "gr-e-4-gib" },
  { title: "Больше памяти", want: "" },
  { title: "a".repeat(59) + " b", want: "a".repeat(59) },
])("a name for $title", ({ title, want }) => {
  expect(nameFor(title)).toBe(want);
});

test("one without a title goes by its name", () => {
  expect(titleOf({ name: "a", title: "" })).toBe("a");
  expect(titleOf({ name: "a", title: "A" })).toBe("A");
});

test.each([
  { name: "a text that looks like a number", value: "12", want: '"12"' },
  { name: "a number that is too long for JavaScript", value: 12345678901234567890n, want: "12345678901234567890" },
  { name: "a map", value: { a: [1, { b: null }] }, want: "a:\n- 1\n- b: null" },
])("values as YAML: $name", ({ value, want }) => {
  expect(textOf(value)).toBe(want);
});

/** A page at an address, and what it sends. */
function page(search: string) {
  const sent: { method: string; path: string; body?: unknown }[] = [];
  vi.stubGlobal("location", { search });
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("fetch", (path: string, { method, body }: RequestInit) => {
    sent.push({ method: method ?? "", path, ...(typeof body === "string" && body.startsWith("{") ? { body: JSON.parse(body) as unknown } : {}) });
    return Promise.resolve(Response.json({}, { headers: { Location: "/v2/clusters/c?changeSet=a" } }));
  });
  return sent;
}

describe("what a page sends", () => {
  test("where it works in a change set, there", async () => {
    const sent = page("?id=cluster/c&changeSet=a%20b");
    expect(changeSet()).toBe("a b");
    expect(viewQuery()).toEqual({ changeSet: "a b" });
    await putDocument("/v2/clusters/c", "x: 1\n", '"1"', { dryRun: true });
    await deleteDocument("/v2/clusters/c", '"1"', true, {});
    await deleteDocument("/v2/clusters/c", '"1"', true, { changeSet: "other" });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /v2/clusters/c?dryRun=true&changeSet=a%20b", "DELETE /v2/clusters/c?cascade=true&changeSet=a%20b", "DELETE /v2/clusters/c?cascade=true&changeSet=other",
    ]);
  });

  test("where it does not, as before; and what it stages it finds below its plain path", async () => {
    const sent = page("?id=cluster/c");
    expect(inView("/v2/clusters")).toBe("/v2/clusters");
    expect(viewQuery()).toEqual({});
    expect(await postDocument("/v2/clusters", "x: 1\n", {}, { changeSet: "a" })).toBe("/v2/clusters/c");
    expect(sent.map(({ path }) => path)).toEqual(["/v2/clusters?changeSet=a"]);
  });

  test("of change sets themselves, never in one", async () => {
    const sent = page("?changeSet=other");
    await mergeChangeSet("a", " why ", true);
    await mergeChangeSet("a", " ", false);
    await rebaseChangeSet("a", [{ id: "cluster/a", path: "", take: "now" }], false);
    await unstage("a", "cluster/ä");
    expect(sent).toEqual([
      { method: "POST", path: "/api/change-sets/a/merge?dryRun=true", body: { message: "why" } },
      { method: "POST", path: "/api/change-sets/a/merge", body: {} },
      { method: "POST", path: "/api/change-sets/a/rebase", body: { resolve: [{ id: "cluster/a", path: "", take: "now" }] } },
      { method: "DELETE", path: "/api/change-sets/a/operations?id=cluster%2F%C3%A4" },
    ]);
  });
});
