import { isObject, pathText, type Path } from "../model/paths";
import { maskValue, type Sensitive } from "../model/secrets";

/** How many lines there are for a document, and how long they are. */
const [mostLines, longest] = [3, 160];

/** Where a text occurs in a document, without regard to case, as lines of a path and its value: in names and in values. Secrets are dots. */
export function occurrences(data: unknown, text: string, sensitive: Sensitive | undefined): string[] {
  const lines: string[] = [];
  collect(maskValue("", data, sensitive), [], text.toLowerCase(), false, lines);
  return lines;
}

function collect(value: unknown, path: Path, text: string, named: boolean, lines: string[]): void {
  if (lines.length === mostLines) return;
  if (isObject(value) || Array.isArray(value)) {
    const members: [string | number, unknown][] = Array.isArray(value) ? value.map((item, i) => [i, item]) : Object.entries(value);
    if (named) lines.push(cut(pathText(path)));
    for (const [name, member] of members) collect(member, [...path, name], text, String(name).toLowerCase().includes(text) && typeof name === "string", lines);
    return;
  }
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (named || (value !== null && value !== undefined && shown.toLowerCase().includes(text))) lines.push(cut(`${pathText(path)}: ${shown}`));
}

function cut(line: string): string {
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
