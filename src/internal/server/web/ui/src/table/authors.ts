import { useEffect, useState } from "react";
import { send } from "../api/client";
import type { Row } from "../api/queries";

/** Of how many documents the server says at once who changed them last. */
const most = 100;

/** How long rows must be in view, in milliseconds, before it is asked: not of those that are only scrolled past. */
const calm = 100;

/** Who wrote a document as a row shows it: a name, "" where the server does not know, null where it shows another version than the stored one. */
export type Author = string | null;

/** What the server says of the documents of rows. */
export interface Answer {
  items: { id: string; version: string; principal?: string }[];
}

/** Who wrote what rows show, by their ETags. */
export function authorsOf(rows: Pick<Row, "id" | "etag">[], { items }: Answer): Map<string, Author> {
  const stored = new Map(items.map((item) => [item.id, item]));
  return new Map(rows.map(({ id, etag }) => {
    const author = stored.get(id);
    return [etag, author && `"${author.version}"` === etag ? (author.principal ?? "") : null];
  }));
}

/** Who wrote what the rows in view show, by their ETags, as far as it is known yet. Lists do not have it: the server is asked once for each version. */
export function useAuthors(rows: Row[], enabled: boolean): ReadonlyMap<string, Author> {
  const [known, setKnown] = useState<ReadonlyMap<string, Author>>(new Map());
  const missing = enabled ? rows.filter(({ etag }) => !known.has(etag)).slice(0, most).map(({ id, etag }) => ({ id, etag })) : [];
  const asked = JSON.stringify(missing);
  useEffect(() => {
    const wanted = JSON.parse(asked) as typeof missing;
    if (wanted.length === 0) return undefined;
    let current = true;
    const read = async () => {
      const query = new URLSearchParams(wanted.map(({ id }) => ["id", id]));
      const answer = (await (await send("GET", `/v2/authors?${query}`)).json()) as Answer;
      if (current) setKnown((before) => new Map([...before, ...authorsOf(wanted, answer)]));
    };
    const timer = setTimeout(() => void read().catch(() => undefined), calm); // asked again when other rows come into view
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return known;
}
