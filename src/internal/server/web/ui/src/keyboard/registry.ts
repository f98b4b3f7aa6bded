import { useEffect, useEffectEvent } from "react";

/** Keys and what they do on the page that is shown. */
export interface Shortcut {
  keys: string; // "e", or "g h" for one after the other
  label: string;
  act: () => void;
}

/** What pages have registered, the latest last: it goes before those that were there already. */
const registered = new Set<() => Shortcut[]>();

/** Has the keys do something for as long as the component is shown. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  const current = useEffectEvent(() => shortcuts);
  useEffect(() => {
    const give = () => current();
    registered.add(give);
    return () => {
      registered.delete(give);
    };
  }, []);
}

/** All shortcuts that there are now. */
export function allShortcuts(): Shortcut[] {
  return [...new Map([...registered].flatMap((give) => give()).map((shortcut) => [shortcut.keys, shortcut])).values()];
}
