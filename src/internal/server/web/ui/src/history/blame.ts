import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument } from "yaml";
import { equal, readYaml } from "../yaml/merge";

/** Lines of a text that one version set, by its index among the versions; -1 where it is older than what is known. */
export interface Block {
  version: number;
  first: number; // the number of the first line
  lines: string[];
}

/** Which version set a value last. Versions are named by their indexes, the newest first. */
export class Origins {
  private readonly byPath = new Map<string, number>();

  /** Notes that a version changed what is at JSON Pointers. They are told newest first. */
  add(version: number, paths: string[]): void {
    for (const path of paths) if (!this.byPath.has(path)) this.byPath.set(path, version);
  }

  /** The newest version that changed a value, or something that it is in; -1 where none is known. */
  of(path: string[]): number {
    let newest = this.byPath.get("") ?? -1;
    let pointer = "";
    for (const step of path) {
      pointer += `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const version = this.byPath.get(pointer);
      if (version !== undefined && (newest < 0 || version < newest)) newest = version;
    }
    return newest;
  }
}

/** The JSON Pointers at which two texts of YAML differ: maps are compared member by member, and lists of the same length item by item. */
export function changedPaths(before: string, after: string): string[] {
  return differences("", readYaml(before).toJS(), readYaml(after).toJS());
}

function differences(path: string, before: unknown, after: unknown): string[] {
  if (equal(before, after)) return [];
  const lists = Array.isArray(before) && Array.isArray(after);
  if (!isParts(before) || !isParts(after) || Array.isArray(before) !== Array.isArray(after) || (lists && before.length !== after.length)) return [path];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differences(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, before[name], after[name]));
}

function isParts(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A value of a text: the line on which it begins, and whether it has parts. */
interface Place {
  line: number;
  path: string[];
  inner: boolean;
}

/** The values of a text of YAML in their order. */
export function placesOf(text: string): Place[] {
  const lines = new LineCounter();
  const places: Place[] = [];
  const note = (node: unknown, path: string[], value: unknown) => {
    if (isNode(node) && node.range) places.push({ line: lines.linePos(node.range[0]).line, path, inner: (isMap(value) || isSeq(value)) && value.items.length > 0 });
    walk(value, path);
  };
  const walk = (node: unknown, path: string[]) => {
    if (isMap(node)) for (const { key, value } of node.items) note(key, [...path, isScalar(key) ? String(key.value) : String(key)], value);
    if (isSeq(node)) for (const [i, item] of node.items.entries()) note(item, [...path, String(i)], item);
  };
  walk(parseDocument(text, { lineCounter: lines, intAsBigInt: true }).contents, []);
  return places;
}

/** The lines of a text with the versions that set them. A line with several values is of the newest; one that only continues a value, or has none, is of that above it. */
export function blocksOf(text: string, places: Place[], origins: Origins): Block[] {
  const ofLine = new Map<number, { version: number; inner: boolean }>();
  for (const { line, path, inner } of places) {
    const [version, known] = [origins.of(path), ofLine.get(line)];
    const newer = known === undefined || (known.inner && !inner) || (known.inner === inner && version >= 0 && (known.version < 0 || version < known.version));
    if (newer) ofLine.set(line, { version, inner });
  }
  const blocks: Block[] = [];
  for (const [i, line] of text.replace(/\n$/, "").split("\n").entries()) {
    const last = blocks.at(-1);
    const version = ofLine.get(i + 1)?.version ?? last?.version ?? ofLine.get(i + 2)?.version ?? -1;
    if (last?.version === version) last.lines.push(line);
    else blocks.push({ version, first: i + 1, lines: [line] });
  }
  return blocks;
}
