/** Where a token that was typed is kept: for as long as the window is open, and for this window alone. */
const place = "dovetail-token";

/** The token of a login at a provider, which is in memory alone. */
let held = "";

/** The token that the user signed in with; empty when not signed in. */
export function token(): string {
  return held === "" ? (sessionStorage.getItem(place) ?? "") : held;
}

const listeners = new Set<() => void>();

/** Calls back whenever who asks has changed. */
export function onToken(act: () => void): void {
  listeners.add(act);
}

/** Keeps a token that was typed for the requests to come, in place of that of a login; an empty one signs out. */
export function setToken(text: string): void {
  held = "";
  if (text === "") sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, text);
  for (const act of listeners) act();
}

/** Has the token of a login sent from now on; an empty one signs out, whatever one signed in with. */
export function setHeldToken(text: string): void {
  held = text;
  sessionStorage.removeItem(place);
  for (const act of listeners) act();
}

/** The headers that say who asks. */
export function credentials(): Record<string, string> {
  const text = token();
  return text === "" ? {} : { Authorization: `Bearer ${text}` };
}
