import { isMap, isScalar, isSeq, parse, type YAMLMap } from "yaml";
import { flatten, typesOf, type JsonSchema } from "../model/jsonschema";
import type { Path } from "../model/paths";

/** A member of a map as the form shows it. */
export interface Member {
  name: string;
  schema?: JsonSchema;
  required: boolean;
}

/** The members that the schema knows, in its order, and then the others that the map has, in theirs. */
export function membersOf(node: unknown, schema: JsonSchema): Member[] {
  const known = Object.entries(schema.properties ?? {});
  const other = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const there = isMap(node) ? namesIn(node) : [];
  const names = [...known.map(([name]) => name), ...there.filter((name) => !Object.hasOwn(schema.properties ?? {}, name))];
  return names.map((name) => {
    const member = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : other;
    return { name, schema: member && flatten(member), required: schema.required?.includes(name) ?? false };
  });
}

/** The names of the members of a map. */
export function namesIn(map: YAMLMap): string[] {
  return map.items.map((pair) => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key)));
}

/** How a scalar is shown in a field. */
export function textOf(value: unknown): string {
  return value === null ? "null" : String(value);
}

/**
 * The value that a text in a field means. Where the schema wants a text, or a text was there before, it is one;
 * else what YAML makes of it, with all digits of whole numbers.
 */
export function parseScalar(text: string, before: unknown, types: string[]): unknown {
  const wantsText = types.length > 0 ? types.includes("string") : typeof before === "string" || before === undefined;
  if (wantsText) return text;
  try {
    const value: unknown = parse(text, { intAsBigInt: true });
    return typeof value === "object" && value !== null ? text : value;
  } catch {
    return text; // the server will say that it is no number
  }
}

/** What a new item of a list begins as: as the schema says, else as the last item is. */
export function starterFor(list: unknown, items: JsonSchema | undefined): unknown {
  const type = typesOf(flatten(items))[0];
  const last = isSeq(list) ? list.items.at(-1) : undefined;
  if (type === "object" || (type === undefined && isMap(last))) return {};
  if (type === "array" || (type === undefined && isSeq(last))) return [];
  return "";
}

/** Whether a field gives the document its name: it has to be there. */
export function isNaming(path: Path): boolean {
  return ["metadata", "metadata.name"].includes(path.join("."));
}
