import { flatten, type JsonSchema } from "../model/jsonschema";
import type { Kind } from "../model/kinds";
import { readYaml, writeYaml } from "../yaml/merge";

/** What a new document of a kind begins with: its name, and what the schema requires, but not what the server fills in. */
export function starterOf(kind: Kind, name = ""): string {
  const { metadata, ...rest } = required(kind.schema, kind.defaults ?? false);
  const document = readYaml("{}");
  document.contents = document.createNode({ metadata: Object.assign({ name }, metadata, { name }), spec: {}, ...rest }) as typeof document.contents;
  return writeYaml(document);
}

function required(schema: JsonSchema | undefined, defaults: boolean): Record<string, unknown> {
  const flat = flatten(schema);
  const made: Record<string, unknown> = {};
  for (const name of flat.required ?? []) {
    const member = flatten(flat.properties?.[name]);
    if (!defaults || member.default === undefined) made[name] = empty(member, defaults);
  }
  return made;
}

function empty(schema: JsonSchema, defaults: boolean): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") return required(schema, defaults);
  if (type === "array") return [];
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  return type === "boolean" ? false : "";
}
