import { useState } from "react";

/** What the keys of all input begin with that a window keeps. */
const prefix = "dovetail-input ";

/** Input that the window keeps also when it is loaded again, by what it is for. Without a key it is not kept, as what has secrets. */
export function useKept<Value>(key: string | undefined): [Value | undefined, (value: Value | undefined) => void] {
  const [value, setValue] = useState<Value | undefined>(() => read<Value>(key));
  const keep = (next: Value | undefined) => {
    setValue(next);
    write(key, next);
  };
  return [value, keep];
}

function read<Value>(key: string | undefined): Value | undefined {
  const text = key === undefined ? null : sessionStorage.getItem(prefix + key);
  try {
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined; // of another version of the page
  }
}

function write(key: string | undefined, value: unknown): void {
  if (key === undefined) return;
  try {
    if (value === undefined) sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(prefix + key); // the window has no more room; what was kept before is not what is shown
  }
}

/** Forgets all input, as another user may sign in. */
export function forgetInput(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  }
}
