import { LineCounter, isNode, parseDocument } from "yaml";
import type { Problem } from "../api/problem";
import { fromPointer } from "../model/paths";

/** Something that is wrong with a text, and where: from is before to, or the same. */
export interface Mark {
  from: number;
  to: number;
  message: string;
}

/** What is wrong with a text as YAML. */
export function syntaxMarks(text: string): Mark[] {
  return parseDocument(text).errors.map((error) => ({
    from: error.pos[0],
    to: Math.max(error.pos[0], error.pos[1]),
    message: error.message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? "",
  }));
}

/** One thing that the server found wrong, and where. */
interface Part {
  message: string;
  remedy?: string;
  path?: string;
  line?: number;
  column?: number;
}

/** What the server found wrong, at its places in the text; what has no place is at the beginning. */
export function serverMarks(text: string, problem: Problem): Mark[] {
  const parts: Part[] = problem.errors?.length ? problem.errors : [{ message: problem.detail, remedy: problem.remedy }];
  return parts.map((part) => ({
    ...place(text, part),
    message: part.remedy ? `${part.message} — ${part.remedy}` : part.message,
  }));
}

function place(text: string, part: Part): { from: number; to: number } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (part.path) {
    const steps = fromPointer(part.path);
    for (let length = steps.length; length > 0; length--) {
      const node = document.getIn(steps.slice(0, length), true);
      if (isNode(node) && node.range) return { from: node.range[0], to: node.range[1] };
    }
  }
  if (!part.line) return { from: 0, to: endOfLine(text, 0) };
  const from = Math.min((lines.lineStarts[part.line - 1] ?? 0) + Math.max(0, (part.column ?? 1) - 1), text.length);
  return { from, to: endOfLine(text, from) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
