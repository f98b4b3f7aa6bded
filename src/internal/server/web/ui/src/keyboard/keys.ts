/** What of a key press says which key it is. */
export interface Press {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/**
 * The key of a shortcut: what it writes. Where that is a letter of another script, as with a Russian layout, it is the Latin
 * letter that is printed on the same key. Empty with Ctrl, Alt or Cmd, which belong to the browser.
 */
export function keyOf({ key, code, ctrlKey, metaKey, altKey }: Press): string {
  if (ctrlKey || metaKey || altKey) return "";
  if (key.length !== 1 || !/\p{L}/u.test(key) || /[a-z]/i.test(key)) return key;
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

/** How long the first key of two is remembered, in milliseconds. */
const patience = 1_500;

/** Reads keys one after the other, and says which of the shortcuts they are: "e", or "g h" for one after the other. */
export class Sequence {
  private first = "";
  private at = 0;

  /** The shortcut that a key ends, at a time in milliseconds; undefined when it is none, or the first key of one. */
  read(key: string, shortcuts: string[], now: number): string | undefined {
    const both = this.first !== "" && now - this.at <= patience ? `${this.first} ${key}` : key;
    const found = [both, key].find((keys) => shortcuts.includes(keys));
    this.first = found === undefined && shortcuts.some((keys) => keys.startsWith(`${key} `)) ? key : "";
    this.at = now;
    return found;
  }
}
