import { useEffect, useEffectEvent } from "react";
import { follow } from "../live/watch";

/** How long changes are collected before the page reads again. */
const calm = 500;

/** Calls back after a change set was changed, by whomever; without a name after any was. */
export function useChangeSetChanges(name: string, act: () => void): void {
  const changed = useEffectEvent(act);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChanges = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, calm);
    };
    follow(name === "" ? { below: "changeSet/" } : { id: `changeSet/${name}`, below: `changeSet/${name}/` }, onChanges, stop.signal);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [name]);
}
