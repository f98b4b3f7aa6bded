import type { components } from "./openapi";

/** What the server answers when it refuses: RFC 9457, with the code and what to do. */
export type Problem = components["schemas"]["Problem"];

/** An answer that is no success. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
  }
}

/** The problem that any error is, so that all are shown alike. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { type: "about:blank", title: "", status: 0, code: "unavailable", detail };
}

/** Whether the server says that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 404;
}

/** Whether a write was refused because it needs the approvals of a change set. */
export function isProtected(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { reason, errors = [] } = error.problem;
  return [reason, ...errors.map((part) => part.reason)].includes("PROTECTED");
}

/** The documents because of which a write needs the approvals of a change set. */
export function protectedIds(error: unknown): string[] {
  const { id, reason, errors = [] } = problemOf(error);
  return [{ id, reason }, ...errors].flatMap((part) => (part.reason === "PROTECTED" && part.id !== undefined ? [part.id] : []));
}

/** Whether the server wants to know who asks, or does not know them. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 401;
}

/** Reads the problem from an answer, also where a proxy answered with something else. */
export async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const problem = JSON.parse(text) as Problem;
    if (typeof problem.detail === "string") return problem;
  } catch {
    // It is no JSON: the status must do.
  }
  return { type: "about:blank", title: response.statusText, status: response.status, code: "internal", detail: response.statusText };
}
