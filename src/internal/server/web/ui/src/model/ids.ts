/** One element of a key. */
export interface Element {
  name: string;
  value: string;
}

/** Reads an id, as `cluster/c1/environment/dev`; undefined when it is none. */
export function parseId(id: string): Element[] | undefined {
  const parts = id.split("/");
  if (parts.length % 2 !== 0) return undefined;
  const elements: Element[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const value = unescape(parts[i + 1] ?? "");
    const name = parts[i] ?? "";
    if (name === "" || value === undefined || value === "") return undefined;
    elements.push({ name, value });
  }
  return elements;
}

/** Writes an id as the server does. */
export function formatId(elements: Element[]): string {
  return elements.map((e) => `${e.name}/${escape(e.value)}`).join("/");
}

/** The value of the last element. Model.titleOf knows what people call the document. */
export function nameOf(id: string): string {
  return parseId(id)?.at(-1)?.value ?? id;
}

/** The values of a key that go beyond a document above it, as `dovetail get` writes them; all of them where it is not below that one. */
export function shortName(id: string, under: string): string {
  const rest = under !== "" && id.startsWith(`${under}/`) ? id.slice(under.length + 1) : id;
  return rest.split("/").filter((_, i) => i % 2 === 1).join("/");
}

/** The characters that an id keeps beside those that encodeURIComponent does. */
const kept: Record<string, string> = { "%24": "$", "%26": "&", "%2B": "+", "%3A": ":", "%3D": "=", "%40": "@" };

/** Those that encodeURIComponent keeps and an id does not. */
const lost = /[!'()*]/g;

function escape(value: string): string {
  return encodeURIComponent(value)
    .replace(/%(24|26|2B|3A|3D|40)/g, (code) => kept[code] ?? code)
    .replace(lost, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescape(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
