/** How well a text fits what is looked for; less is better, undefined for not at all. The server ranks the names of documents alike. */
export function rank(text: string, query: string): number | undefined {
  const [name, words] = [text.toLowerCase(), query.toLowerCase().split(/\s+/).filter(Boolean)];
  const ranks = words.map((word) => rankOf(name, word));
  return ranks.every((one) => one !== undefined) ? ranks.reduce<number>((sum, one) => sum + (one ?? 0), 0) : undefined;
}

function rankOf(name: string, word: string): number | undefined {
  if (name === word) return 0;
  if (name.startsWith(word)) return 1;
  for (let at = name.indexOf(word); at > 0; at = name.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(name[at - 1] ?? "")) return 2;
  }
  if (name.includes(word)) return 3;
  let at = -1;
  for (const letter of word) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return undefined;
  }
  return 6;
}

/** Those that fit, best first, and among equals in their order. */
export function ranked<T>(all: T[], query: string, textOf: (one: T) => string): T[] {
  const found = all.flatMap((one) => {
    const fits = rank(textOf(one), query);
    return fits === undefined ? [] : [{ one, fits }];
  });
  return found.sort((a, b) => a.fits - b.fits).map(({ one }) => one);
}
