import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useEffectEvent } from "react";
import { watchAll, type DocumentChange } from "../live/watch";

/** How long changes are collected before the page reads again. */
const calm = 500;

/** Calls back after a change set was changed, by whomever, while the window is visible; without a name after any was. */
export function useChangeSetChanges(name: string, act: () => void): void {
  const visible = useDocumentVisibility() === "visible"; // each window has few connections to a server
  const changed = useEffectEvent(act);
  useEffect(() => {
    if (!visible) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChanges = (text?: string) => {
      if (text !== undefined && !(JSON.parse(text) as { changes: DocumentChange[] }).changes.some(({ id }) => isOf(name, id))) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, calm);
    };
    void watchAll(onChanges, stop.signal);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [name, visible]);
}

/** Whether a document is a change set, or what is staged in it. */
function isOf(name: string, id: string): boolean {
  const set = `changeSet/${name}`;
  return name === "" ? id.startsWith(set) : id === set || id.startsWith(`${set}/`);
}
