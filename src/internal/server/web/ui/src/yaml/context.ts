import type { JsonSchema } from "../model/jsonschema";
import { flatten, schemaAt, typesOf } from "../model/jsonschema";

/** Where a cursor is in a YAML text, also when the text cannot be read as a whole yet. */
export interface Context {
  path: (string | number)[]; // of the map, or of the value that is being written
  writes: "name" | "value";
  word: string; // what is written of it
  siblings: string[]; // the members that the map has
}

interface Line {
  indent: number;
  dash: boolean; // it begins an item of a list
  name?: string;
  rest: string;
}

const pattern = /^(\s*)((?:- +)*)(?:("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:'"[{][^:#]*?)\s*:(?:\s+|$))?(.*)$/;

function read(text: string): Line {
  const [, space = "", dashes = "", name, rest = ""] = pattern.exec(text) ?? [];
  return { indent: space.length + dashes.length, dash: dashes !== "", name: name?.replace(/^["']|["']$/g, ""), rest };
}

/** Says where position is, from the lines above and their indentation. */
export function contextAt(text: string, position: number): Context {
  const before = text.slice(0, position).split("\n");
  const current = before.pop() ?? "";
  const line = read(current);
  const lines = before.map(read);
  const path = pathAbove(lines, line);
  if (line.name !== undefined) return { path: [...path, line.name], writes: "value", word: line.rest, siblings: [] };
  const after = text.slice(position).split("\n").slice(1).map(read);
  return { path, writes: "name", word: line.rest, siblings: siblingsOf(lines, after, line) };
}

/** The path of the map or list that a line stands in. */
function pathAbove(lines: Line[], line: Line): (string | number)[] {
  const path: (string | number)[] = [];
  let indent = line.indent;
  let inItem = line.dash;
  let index = line.dash ? 0 : undefined;
  for (let i = lines.length - 1; i >= 0; i--) {
    const above = lines[i] as Line;
    if (above.name === undefined && above.rest.trim() === "" && !above.dash) continue;
    if (index !== undefined && above.dash && above.indent === indent) index++;
    if (index === undefined && above.dash && above.indent === indent) {
      index = 0;
      inItem = true;
      continue;
    }
    const owns = above.name !== undefined && (above.indent < indent - (inItem ? 2 : 0) || (inItem && above.indent <= indent - 2));
    if (!owns) continue;
    if (index !== undefined) path.unshift(index);
    path.unshift(above.name as string);
    indent = above.indent;
    inItem = above.dash;
    index = above.dash ? 0 : undefined;
  }
  if (index !== undefined) path.unshift(index);
  return path;
}

/** The names at the same indentation around a line, up to where the map begins and ends. */
function siblingsOf(before: Line[], after: Line[], line: Line): string[] {
  const names: string[] = [];
  const gather = (lines: Line[], stopsAtDash: boolean) => {
    for (const other of lines) {
      if (other.name === undefined && other.rest.trim() === "") continue;
      if (other.indent < line.indent) return;
      if (other.indent === line.indent && other.name !== undefined) {
        if (other.dash && !stopsAtDash) return;
        names.push(other.name);
        if (other.dash) return;
      }
    }
  };
  if (!line.dash) gather(before.toReversed(), true);
  gather(after, false);
  return names;
}

/** One thing that could be written at a place. */
export interface Offer {
  label: string;
  insert: string;
  detail: string;
  info: string;
}

/** What the schema lets be written where the cursor is. */
export function offersAt(schema: JsonSchema | undefined, text: string, position: number): Offer[] {
  const context = contextAt(text, position);
  const at = schemaAt(schema, context.path);
  if (!at) return [];
  if (context.writes === "value") return valueOffers(at);
  return Object.entries(at.properties ?? {})
    .filter(([name]) => !context.siblings.includes(name))
    .map(([name, property]) => {
      const inner = flatten(property);
      const types = typesOf(inner);
      const nests = types.includes("object") || types.includes("array");
      const required = at.required?.includes(name) ? " *" : "";
      return { label: name, insert: nests ? `${name}:` : `${name}: `, detail: types.join(" | ") + required, info: inner.description ?? "" };
    });
}

function valueOffers(schema: JsonSchema): Offer[] {
  const values = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])];
  if (typesOf(schema).includes("boolean")) values.push(true, false);
  return values.map((value) => {
    const text = String(value);
    return { label: text, insert: text, detail: "", info: "" };
  });
}
