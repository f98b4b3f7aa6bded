import { useState } from "react";
import type { Source } from "../api/documents";
import { useKept } from "../shell/kept";

/** A document that is being edited: what it came from, and what it is now. */
export interface Draft {
  base: Source;
  text: string;
  changed: boolean;
  message: string; // why it is changed
  setMessage: (message: string) => void;
  setText: (text: string) => void;
  /** Goes on from another version, with this text. */
  rebase: (base: Source, text: string) => void;
  discard: () => void;
  restored: boolean; // it was begun before the page was loaded
}

/** A draft follows what is stored until it is edited; from then on it keeps the version that it came from. With a key the window keeps it, also when it is loaded again. */
export function useDraft(stored: Source, key?: string): Draft {
  const [edited, setEdited] = useKept<{ base: Source; text: string }>(key);
  const [message, setMessage] = useState("");
  const [restored, setRestored] = useState(edited !== undefined);
  const base = edited?.base ?? stored;
  const rebase = (next: Source, text: string) => setEdited(text === next.yaml ? undefined : { base: { envelope: next.envelope, yaml: next.yaml }, text });
  return {
    base,
    text: edited?.text ?? stored.yaml,
    changed: edited !== undefined,
    restored,
    message,
    setMessage,
    setText: (text) => rebase(base, text),
    rebase,
    discard: () => {
      setEdited(undefined);
      setRestored(false);
      setMessage("");
    },
  };
}
