import { useState } from "react";
import type { Stored } from "./queries";

/** What the user wrote, and the values that the user started from. */
export interface Input {
  base: string;
  text: string;
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
  /** What the user had written when another user saved first. It can be edited again. */
  kept?: Input;
  /** Keeps the input aside, and shows what is stored now. */
  setAside: () => void;
  /** Goes on with a text on what is stored now, or without one forgets what was kept. */
  takeUp: (text?: string) => void;
}

/** A draft follows what is stored until it is edited; from then on it keeps the version that it came from. */
export function useDraft(stored: Stored): Draft {
  const [edited, setEdited] = useState<{ base: Stored; text: string }>();
  const [comment, setComment] = useState("");
  const [kept, setKept] = useState<Input>();
  const base = edited?.base ?? stored;
  const edit = (on: Stored, text: string) => setEdited(text === on.text ? undefined : { base: on, text });
  return {
    base,
    text: edited?.text ?? stored.text,
    changed: edited !== undefined,
    setText: (text) => edit(base, text),
    comment,
    setComment,
    discard: () => setEdited(undefined),
    kept,
    setAside: () => {
      if (edited) setKept({ base: edited.base.text, text: edited.text });
      setEdited(undefined);
    },
    takeUp: (text) => {
      setKept(undefined);
      if (text !== undefined) edit(stored, text);
    },
  };
}
