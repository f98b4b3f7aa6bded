import { Document, isMap, isScalar, type Node } from "yaml";
import { readYaml, writeYaml } from "../yaml/merge";

/** The names on the way from the top to a value. */
export type Path = unknown[];

/** One value of parameters: all that is no map, or a map without members. */
export interface Row {
  path: Path;
  pointer: string; // the path as a JSON pointer
  text: string; // the value in one line of YAML
}

/** The values of parameters in their order. */
export function rowsOf(node: Node | null | undefined): Row[] {
  const rows: Row[] = [];
  gather([], node, rows);
  return rows;
}

function gather(path: Path, node: unknown, rows: Row[]): void {
  if (!isMap(node) || (node.items.length === 0 && path.length > 0)) {
    if (path.length > 0) rows.push({ path, pointer: pointerOf(path), text: lineOf(node as Node | null) });
    return;
  }
  for (const { key, value } of node.items) gather([...path, isScalar(key) ? key.value : String(key)], value, rows);
}

/** A path as a JSON pointer. */
export function pointerOf(path: Path): string {
  return path.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The names in a JSON pointer. */
export function namesOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A value as one line that means it when it is written into a field; numbers are as they were written. */
export function lineOf(node: Node | null | undefined): string {
  if (!node || (isScalar(node) && node.value === null)) return "null";
  if (isScalar(node) && typeof node.value === "string") return isPlain(node.value) ? node.value : JSON.stringify(node.value);
  const document = new Document();
  document.contents = node.clone() as typeof document.contents;
  return document.toString({ lineWidth: 0, collectionStyle: "flow", flowCollectionPadding: false, blockQuote: false, commentString: () => "" }).trim();
}

/** Whether a text means itself when it is written into a field. */
function isPlain(text: string): boolean {
  return text !== "" && text.trim() === text && !/^["'[{]|[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && valueOf(text) === text;
}

/** Thrown for a text in quotes or brackets that is no YAML. */
export class NoValue extends Error {}

/**
 * The value of the text in a field: a number, true, false and null, and what stands
 * in quotes, braces or brackets are what they are in YAML; all else is a text as it stands.
 */
export function valueOf(text: string): unknown {
  const trimmed = text.trim();
  const document = readYaml(trimmed);
  if (/^["'[{]/.test(trimmed)) {
    if (document.errors.length > 0) throw new NoValue(document.errors[0]?.message);
    return document.contents;
  }
  const { contents } = document;
  return document.errors.length === 0 && isScalar(contents) && !contents.tag && typeof contents.value !== "string" && trimmed !== "" && contents.source === trimmed ? contents : text;
}

/** Puts a value at a path of a text. What is no map on the way becomes one. */
export function put(text: string, path: Path, value: unknown): string {
  const document = readYaml(text);
  for (let length = 0; length < path.length; length++) {
    const above = path.slice(0, length);
    const there = length === 0 ? document.contents : document.getIn(above, true);
    if (isMap(there)) continue;
    const made = document.createNode({});
    if (length === 0) document.contents = made as unknown as typeof document.contents;
    else document.setIn(above, made);
  }
  document.setIn(path, document.createNode(value));
  return blockStyle(document);
}

/** Takes the value at a path out of a text, with the maps that have nothing else. */
export function take(text: string, path: Path): string {
  const document = readYaml(text);
  document.deleteIn(path);
  for (let length = path.length - 1; length > 0; length--) {
    const above = document.getIn(path.slice(0, length), true);
    if (!isMap(above) || above.items.length > 0) break;
    document.deleteIn(path.slice(0, length));
  }
  return blockStyle(document);
}

/** Writes a document with its top spread over lines, once there is something in it. */
function blockStyle(document: ReturnType<typeof readYaml>): string {
  if (isMap(document.contents)) document.contents.flow = document.contents.items.length === 0;
  return writeYaml(document);
}

/** What became of a value. */
export type Change = "same" | "added" | "changed" | "removed";

/** A value before and after. */
export interface Compared {
  path: Path;
  pointer: string;
  before?: string;
  after?: string;
  change: Change;
}

/** The values of both, in the order of after, each removed one where it stood in before. */
export function compareRows(before: Row[], after: Row[]): Compared[] {
  const old = new Map(before.map((row) => [row.pointer, row]));
  const current = new Set(after.map((row) => row.pointer));
  const all: Compared[] = after.map(({ path, pointer, text }) => {
    const was = old.get(pointer)?.text;
    return { path, pointer, before: was, after: text, change: was === undefined ? "added" : was === text ? "same" : "changed" };
  });
  before.forEach(({ path, pointer, text }, i) => {
    if (current.has(pointer)) return;
    const next = before.slice(i + 1).find((row) => current.has(row.pointer));
    const at = next ? all.findIndex((row) => row.pointer === next.pointer) : all.length;
    all.splice(at, 0, { path, pointer, before: text, change: "removed" });
  });
  return all;
}
