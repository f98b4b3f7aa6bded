import { isMap, parseDocument, type Document } from "yaml";

/** One value that both changed, each in another way. Absent is undefined. */
export interface Conflict {
  path: string[];
  before: unknown;
  yours: unknown;
  theirs: unknown;
}

/** What came of two changes of one text. */
export interface Merged {
  text: string;
  conflicts: Conflict[];
}

/** Reads a text of one YAML document; whole numbers keep all their digits. */
export function readYaml(text: string): Document {
  return parseDocument(text, { intAsBigInt: true });
}

/** Whether a text is YAML, and a map. */
export function isMapping(text: string): boolean {
  const { contents, errors } = readYaml(text);
  return errors.length === 0 && isMap(contents);
}

/** Makes numbers of those that are exact as numbers; others stay bigint. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  return value;
}

/** Writes what readYaml read, as the server writes YAML. */
export function writeYaml(document: Document): string {
  return document.toString({ lineWidth: 0, indentSeq: false });
}

/**
 * Lays what they changed over yours. Maps are merged member by member, all else is taken whole. Where both changed
 * one value in different ways, it stays yours and is a conflict. The texts must be YAML.
 */
export function merge(base: string, yours: string, theirs: string): Merged {
  const result = readYaml(yours);
  const conflicts: Conflict[] = [];
  mergeAt(result, [], read(base), read(yours), read(theirs), conflicts);
  return { text: conflicts.length === 0 && equal(read(yours), read(theirs)) ? theirs : writeYaml(result), conflicts };
}

/** Puts a value, or with undefined nothing, at a path of a text. */
export function withValue(text: string, path: string[], value: unknown): string {
  const document = readYaml(text);
  put(document, path, value);
  return writeYaml(document);
}

function read(text: string): unknown {
  return readYaml(text).toJS() ?? {};
}

function mergeAt(result: Document, path: string[], base: unknown, yours: unknown, theirs: unknown, conflicts: Conflict[]): void {
  if (equal(yours, theirs) || equal(base, theirs)) return;
  if (isObject(yours) && isObject(theirs)) {
    const before = isObject(base) ? base : {};
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(yours)])) {
      mergeAt(result, [...path, name], own(before, name), own(yours, name), own(theirs, name), conflicts);
    }
    return;
  }
  if (equal(base, yours)) {
    put(result, path, theirs);
    return;
  }
  conflicts.push({ path, before: base, yours, theirs });
}

function put(document: Document, path: string[], value: unknown): void {
  if (path.length === 0) {
    document.contents = document.createNode(value) as typeof document.contents;
  } else if (value === undefined) {
    document.deleteIn(path);
  } else {
    if (!isMap(document.contents)) document.contents = document.createNode({}) as typeof document.contents;
    document.setIn(path, document.createNode(value));
  }
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values are the same; the order of members does not count. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}
