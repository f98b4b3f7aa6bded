import { stringify } from "yaml";

/** A value as YAML, with all digits of its numbers. */
export function textOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, indentSeq: false }).trimEnd();
}
