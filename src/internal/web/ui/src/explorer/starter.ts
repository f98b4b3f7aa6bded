import { flatten, type JsonSchema } from "../model/jsonschema";
import type { Kind } from "../model/kinds";
import { readYaml, writeYaml } from "../yaml/merge";

/** What a new document of a kind begins with: its name, and what the schema requires. */
export function starterOf(kind: Kind): string {
  const { metadata, ...rest } = required(kind.schema);
  const document = readYaml("{}");
  document.contents = document.createNode({ metadata: { name: "", ...(metadata as object | undefined) }, spec: {}, ...rest }) as typeof document.contents;
  return writeYaml(document);
}

function required(schema: JsonSchema | undefined): Record<string, unknown> {
  const flat = flatten(schema);
  const made: Record<string, unknown> = {};
  for (const name of flat.required ?? []) {
    made[name] = empty(flatten(flat.properties?.[name]));
  }
  return made;
}

function empty(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") return required(schema);
  if (type === "array") return [];
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  return type === "boolean" ? false : "";
}
