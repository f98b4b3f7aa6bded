import { useEffect, useState } from "react";
import { changeSet, moment } from "../api/view";
import { useKept } from "../shell/kept";
import { merge } from "../yaml/merge";
import { queryOf, type Target } from "./place";
import type { Stored } from "./queries";
import { withoutSecrets, type SecretOf } from "./secrets";

/** What the user wrote, and the values that the user started from. */
export interface Input {
  base: string;
  text: string;
}

/** What the window keeps of an override that is edited: all but its secrets. */
interface Kept extends Input {
  version?: string; // that the user started from
  left: number; // how many secrets were left out
}

/** What was begun before the page was loaded. */
export interface Restored {
  left: number; // how many secrets are to be typed again
  overtaken: boolean; // what is stored was changed meanwhile
}

/** An override that is being edited. */
export interface Draft {
  base: Stored;
  text: string;
  changed: boolean;
  setText: (text: string) => void;
  comment: string; // why it is changed
  setComment: (comment: string) => void;
  discard: () => void;
  restored?: Restored;
  /** What is stored is no longer what the draft came from. */
  overtaken: boolean;
  /** What the user had written when another user saved first. It can be edited again. */
  kept?: Input;
  /** Keeps the input aside, and shows what is stored now. */
  setAside: () => void;
  /** Goes on with a text on what is stored now, or without one forgets what was kept. */
  takeUp: (text?: string) => void;
}

/**
 * A draft follows what is stored until it is edited; from then on it keeps the version that it came from. The window keeps it, also when
 * it is loaded again, without its secrets, once it is known which these are; where what is stored was changed meanwhile, the input is put aside, to be merged.
 */
export function useDraft(target: Target, stored: Stored, secretOf: SecretOf | undefined): Draft {
  const key = moment() === "" ? `override ${queryOf(target)} ${changeSet()}` : undefined;
  const [saved, save] = useKept<Kept>(key);
  const [comment, setComment] = useKept<string>(key && `comment ${key}`);
  const [begun] = useState(() => takenUp(saved, stored));
  const [edited, setEdited] = useState(begun.edited);
  const [kept, setKept] = useState(begun.aside);
  const [restored, setRestored] = useState(begun.restored);
  const base = edited?.base ?? stored;
  const edit = (on: Stored, text: string) => {
    if (text === on.text) return forget();
    setEdited({ base: on, text });
    return undefined;
  };
  useEffect(() => {
    const keep = edited && secretOf && keptOf(edited.base, edited.text, secretOf);
    if (keep) save(keep); // of a text that is no map yet the last one that was
    // eslint-disable-next-line react-hooks/exhaustive-deps -- save is another function at each drawing
  }, [edited, secretOf]);
  const forget = () => {
    setEdited(undefined);
    setRestored(undefined);
    save(undefined);
  };
  return {
    base,
    text: edited?.text ?? stored.text,
    changed: edited !== undefined,
    setText: (text) => edit(base, text),
    comment: comment ?? "",
    setComment: (next) => setComment(next === "" ? undefined : next),
    discard: forget,
    restored,
    overtaken: edited !== undefined && edited.base.version !== stored.version,
    kept,
    setAside: () => {
      if (edited) setKept({ base: edited.base.text, text: edited.text });
      setEdited(undefined);
    },
    takeUp: (text) => {
      setKept(undefined);
      if (text === undefined) forget();
      else edit(stored, text);
    },
  };
}

/** What the window keeps of a text; undefined of one that is no map yet. */
export function keptOf(base: Stored, text: string, secretOf: SecretOf): Kept | undefined {
  const [was, is] = [withoutSecrets(base.text, secretOf), withoutSecrets(text, secretOf)];
  if (!was || !is) return undefined;
  const left = [...new Set([...was.secrets.keys(), ...is.secrets.keys()])].filter((pointer) => was.secrets.get(pointer) !== is.secrets.get(pointer)).length;
  return { version: base.version, base: was.text, text: is.text, left };
}

/** What becomes of a draft that the window kept: it goes on where what is stored is the same, and else is put aside. */
export function takenUp(saved: Kept | undefined, stored: Stored): { edited?: { base: Stored; text: string }; aside?: Input; restored?: Restored } {
  if (saved === undefined) return {};
  const { version, left, ...input } = saved;
  if (version !== stored.version) return { aside: input, restored: { left, overtaken: true } };
  const { text } = merge(input.base, input.text, stored.text);
  return text === stored.text ? {} : { edited: { base: stored, text }, restored: { left, overtaken: false } };
}
