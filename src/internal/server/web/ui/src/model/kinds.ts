import type { Column } from "./columns";
import { formatId, parseId, type Element } from "./ids";
import type { JsonSchema } from "./jsonschema";
import type { Lifecycle } from "./lifecycle";
import type { Reference } from "./references";
import type { Sensitive } from "./secrets";

/** A kind as GET /v2/schema describes it. */
export interface Kind {
  name: string;
  description?: string;
  service?: string;
  abstract?: boolean;
  managed?: boolean; // written by its service
  strict?: boolean; // refuses members that neither the convention nor its schema names
  defaults?: boolean; // those of the schema are filled in on writes
  immutable?: string[]; // paths of values that cannot change after creation
  key: string[];
  keyId: string;
  parent?: string;
  children?: string[];
  references?: Reference[];
  referencedBy?: string[];
  collections?: { path: string; item: string; fixed?: Record<string, string>; methods?: Record<string, number> }[];
  actions?: { path: string; method: string; code: number }[];
  content?: { name: string; required?: boolean; multiple?: boolean }[];
  columns?: Column[];
  lifecycle?: Lifecycle;
  sensitive?: Sensitive;
  schema?: JsonSchema;
  definedAt: string;
}

/** What GET /v2/schema answers. */
export interface SchemaAnswer {
  hash: string;
  kinds: Kind[];
  sources: { name: string; text: string }[];
}

/** The ref-schema in force. */
export class Model {
  readonly hash: string;
  readonly kinds: Kind[];
  readonly sources: { name: string; text: string }[];
  private readonly byName: Map<string, Kind>;
  private readonly byKey: Map<string, Kind>;

  constructor(answer: SchemaAnswer) {
    this.hash = answer.hash;
    this.kinds = answer.kinds;
    this.sources = answer.sources;
    this.byName = new Map(answer.kinds.map((kind) => [kind.name, kind]));
    this.byKey = new Map(answer.kinds.filter((kind) => !kind.abstract).map((kind) => [kind.key.join(","), kind]));
  }

  kind(name: string): Kind | undefined {
    return this.byName.get(name);
  }

  /** The kind of the document that an id names. */
  kindOf(id: string): Kind | undefined {
    const elements = parseId(id);
    return elements && this.byKey.get(elements.map((e) => e.name).join(","));
  }

  /** The kinds of the documents right below one of this kind, or at the top. */
  childKinds(kind?: Kind): Kind[] {
    const below = kind ? (kind.children ?? []).map((name) => this.byName.get(name)) : this.kinds.filter((k) => !k.parent);
    return below.flatMap((child) => {
      if (!child) return [];
      return child.abstract ? this.childKinds(child) : [child];
    });
  }

  /** The documents above an id, from the top on. */
  ancestors(id: string): string[] {
    const elements = parseId(id) ?? [];
    const ids: string[] = [];
    for (let n = 1; n < elements.length; n++) {
      const above = formatId(elements.slice(0, n));
      if (this.kindOf(above)) ids.push(above);
    }
    return ids;
  }

  /** What people call a document: the values of its key beyond the document above it, so that `shop / v1` is not a lone `v1`. */
  titleOf(id: string): string {
    const elements = parseId(id);
    if (elements === undefined) return id;
    const above = parseId(this.ancestors(id).at(-1) ?? "")?.length ?? 0;
    return elements.slice(above).map(({ value }) => value).join(" / ");
  }

  /** The path at which the API serves a document; undefined when it does not. */
  itemPath(id: string): string | undefined {
    const elements = parseId(id);
    const routes = this.kindOf(id)?.collections ?? [];
    const route = routes.find((r) => Object.entries(r.fixed ?? {}).every(([name, value]) => elements?.some((e) => e.name === name && e.value === value)));
    return route && elements && fill(route.item, elements);
  }

  /** The path of the collection of a kind below a document, or at the top. */
  collectionPath(kind: Kind, under: string): string | undefined {
    const route = kind.collections?.[0];
    return route && fill(route.path, parseId(under) ?? []);
  }
}

/** Puts the values of a key into a template as `/clusters/{cluster}`. */
function fill(template: string, elements: Element[]): string | undefined {
  let complete = true;
  const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const element = elements.find((e) => e.name === name);
    complete &&= element !== undefined;
    return encodeURIComponent(element?.value ?? "");
  });
  return complete ? `/v2${path}` : undefined;
}
