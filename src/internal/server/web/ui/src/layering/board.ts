import { documentKey, type LayeredId, type Origins } from "./queries";

/** A document with what it is connected with: by inheritance, replacement and substitution, in both directions. */
export interface Card {
  id: string;
  of: Origins;
  parent?: string; // of the card that it inherits from
  sources: string[]; // of the cards that it substitutes from
  connected: boolean;
}

/** The documents of a layer: connected ones first, those with one parent together. */
export interface Column {
  layer: string; // "" for documents without one
  cards: Card[];
}

/** Documents are told apart by their layers, too: one that replaces another has its name. */
export function cardId(document: LayeredId): string {
  return `${documentKey(document)} ${document.layer ?? ""}`;
}

/** The documents by the layers, the highest first; last those that have none. */
export function columnsOf(documents: Origins[], layers: string[]): Column[] {
  const ids = new Set(documents.map(({ document }) => cardId(document)));
  const targets = new Set(documents.flatMap(({ parents, sources, replaces }) => [...parents.slice(0, 1), ...sources, ...(replaces ? [replaces] : [])].map(cardId)));
  const cards = documents.map((of): Card => {
    const id = cardId(of.document);
    const [parent] = of.parents.map(cardId);
    const sources = of.sources.map(cardId).filter((source) => ids.has(source));
    return { id, of, parent: parent !== undefined && ids.has(parent) ? parent : undefined, sources, connected: parent !== undefined || of.sources.length > 0 || targets.has(id) };
  });
  const order = new Map<string, number>(); // of the cards of the columns before, from the top
  const above = ({ parent = "" }: Card) => order.get(parent) ?? Number.MAX_SAFE_INTEGER;
  return [...layers, ""].map((layer) => {
    const column = cards.filter(({ of: { document } }) => (document.layer ?? "") === layer).sort((a, b) => Number(b.connected) - Number(a.connected) || above(a) - above(b) || compare(a.id, b.id));
    for (const [i, card] of column.entries()) order.set(card.id, i);
    return { layer, cards: column };
  }).filter(({ layer, cards: column }) => layer !== "" || column.length > 0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** All that a document is connected with: what it is made of, directly or through others, and what is made of it. */
export function relatives(columns: Column[], id: string): Set<string> {
  const cards = columns.flatMap((column) => column.cards);
  const up = new Map(cards.map((card) => [card.id, [...(card.parent === undefined ? [] : [card.parent]), ...card.sources]]));
  const down = new Map<string, string[]>();
  for (const [from, targets] of up) for (const to of targets) down.set(to, [...(down.get(to) ?? []), from]);
  const found = new Set([id]);
  for (const next of [up, down]) {
    const seen = new Set([id]);
    for (const at of seen) for (const other of next.get(at) ?? []) seen.add(other); // a set yields what is added while it is walked
    for (const other of seen) found.add(other);
  }
  return found;
}

/** An arrow from a document to what it inherits or substitutes from. */
export interface Arrow {
  from: string;
  to: string;
  kind: "parent" | "source";
}

/** The arrows of cards: all parents, or, of the cards in focus, sources too. */
export function arrowsOf(columns: Column[], focus?: Set<string>): Arrow[] {
  const cards = columns.flatMap((column) => column.cards);
  return cards.flatMap((card): Arrow[] => {
    const parent: Arrow[] = card.parent === undefined ? [] : [{ from: card.id, to: card.parent, kind: "parent" }];
    if (focus === undefined) return parent;
    const both = [...parent, ...card.sources.map((to): Arrow => ({ from: card.id, to, kind: "source" }))];
    return both.filter(({ from, to }) => focus.has(from) && focus.has(to));
  });
}
