/** A value in one line, whole numbers with all their digits. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v)) ?? "";
}
