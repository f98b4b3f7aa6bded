/** Where a token is kept: for as long as the window is open, and for this window alone. */
const place = "dovetail-token";

/** The token that the user signed in with; empty when not signed in. */
export function token(): string {
  return sessionStorage.getItem(place) ?? "";
}

/** Keeps a token for the requests to come; an empty one signs out. */
export function setToken(text: string): void {
  if (text === "") sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, text);
}

/** The headers that say who asks. */
export function credentials(): Record<string, string> {
  const text = token();
  return text === "" ? {} : { Authorization: `Bearer ${text}` };
}
