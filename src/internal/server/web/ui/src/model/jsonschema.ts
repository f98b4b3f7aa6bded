/** As much of a JSON Schema as the form, the completion and the explanation of fields use. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** A schema with its alternatives laid into one, which is what offers and explanations need. What only an alternative requires is not required. */
export function flatten(schema: JsonSchema | undefined): JsonSchema {
  if (!schema) return {};
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((part) => ({ ...flatten(part), required: undefined }));
  return [...(schema.allOf ?? []).map(flatten), ...alternatives].reduce<JsonSchema>(
    (all, part) => ({
      ...part,
      ...all,
      properties: all.properties || part.properties ? { ...part.properties, ...all.properties } : undefined,
      required: all.required && part.required ? [...new Set([...all.required, ...part.required])] : (all.required ?? part.required),
    }),
    schema,
  );
}

/** The schema of what is at a path of members and indexes. */
export function schemaAt(schema: JsonSchema | undefined, path: (string | number)[]): JsonSchema | undefined {
  let at: JsonSchema | undefined = schema;
  for (const step of path) {
    const flat = flatten(at);
    const below = typeof step === "number" ? flat.items : (flat.properties?.[step] ?? other(flat));
    if (!below) return undefined;
    at = below;
  }
  return at && flatten(at);
}

function other(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** The types of a schema; none when it does not say. */
export function typesOf(schema: JsonSchema | undefined): string[] {
  if (!schema?.type) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

/** One field for the explanation of a kind. */
export interface Field {
  path: string;
  types: string[];
  required: boolean;
  description: string;
  values: string[];
}

/** All fields of a schema, in its order, those of lists with `[]`. */
export function fieldsOf(schema: JsonSchema | undefined, prefix = ""): Field[] {
  const flat = flatten(schema);
  const fields: Field[] = [];
  for (const [name, property] of Object.entries(flat.properties ?? {})) {
    const inner = flatten(property);
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const values = (inner.enum ?? []).map((v) => (typeof v === "string" ? v : JSON.stringify(v)));
    fields.push({ path, types: typesOf(inner), required: flat.required?.includes(name) ?? false, description: inner.description ?? "", values });
    fields.push(...fieldsOf(inner, path), ...(inner.items ? fieldsOf(inner.items, `${path}[]`) : []));
  }
  return fields;
}
