/** A number as it was written: numbers of JavaScript lose digits. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The member that stands for a number while JSON is read. */
const mark = "\u0000digits";

/** Reads JSON with its numbers as they are written. Not every browser has a way of its own to do so. */
export function parseExact(text: string): unknown {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token.startsWith('"') ? token : JSON.stringify({ [mark]: token })));
  return JSON.parse(marked, (_, value: unknown) => {
    const digits = typeof value === "object" && value !== null && mark in value ? value[mark] : undefined;
    return typeof digits === "string" ? new Digits(digits) : value;
  });
}

/** Writes JSON with the numbers of parseExact. Members that are undefined are left out. */
export function writeExact(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).filter(([, member]) => member !== undefined).map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(",")}}`;
}
