import { createContext, useContext } from "react";
import { allFrames, endsIn, type Arrangement } from "./frames";

/** Why boxes stand out: they are on a path, they would be deleted, they depend on something. */
export type Tone = "path" | "deleted" | "dependent";

/** What stands out in a picture; all others are dimmed. */
export interface Highlight {
  tone: Tone;
  ids: ReadonlySet<string>;
  arrows?: ReadonlySet<string>; // as arrowKey names them; without it those between the boxes
}

/** What stands out in the picture around; undefined when nothing does. */
export const HighlightContext = createContext<Highlight | undefined>(undefined);

/** The name of an arrow, whichever way it points. */
export function arrowKey(a: string, b: string): string {
  return a < b ? `${a}\n${b}` : `${b}\n${a}`;
}

/** How a box or an arrow is shown: with a tone, dimmed, or as it is. */
export function useTone(ids: string[]): Tone | "dim" | undefined {
  const highlight = useContext(HighlightContext);
  if (highlight === undefined) return undefined;
  const [a, b] = ids;
  const on = a !== undefined && b !== undefined && highlight.arrows ? highlight.arrows.has(arrowKey(a, b)) : ids.every((id) => highlight.ids.has(id));
  return on ? highlight.tone : "dim";
}

/** The same with the frames of those that stand out, which their arrows begin and end at. */
export function withFrames({ tone, ids, arrows }: Highlight, arrangement: Arrangement): Highlight {
  const ends = endsIn(arrangement);
  const framed = (arrow: string) => {
    const [a = "", b = ""] = arrow.split("\n");
    return arrowKey(...ends(a, b));
  };
  const frames = allFrames(arrangement).filter(({ members }) => members.some(({ id }) => ids.has(id)));
  return { tone, ids: new Set([...ids, ...frames.map(({ id }) => id)]), arrows: arrows && new Set([...arrows].map(framed)) };
}
