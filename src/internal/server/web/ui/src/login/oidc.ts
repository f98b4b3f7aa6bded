/** Where the server says that people sign in. */
export interface Login {
  issuer: string;
  clientId: string;
  scopes: string;
  token: "id_token" | "access_token"; // which of the tokens is sent
}

/** What the discovery document of a provider says. */
export interface Provider {
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string;
}

/** What the provider gives for a code, or for a refresh token. */
export interface Tokens {
  id_token?: string;
  access_token?: string;
  refresh_token?: string;
  expires_in?: number; // seconds
}

/** What is remembered of a login while one is at the provider. No token is. */
export interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  back: string; // where in the page one was
  silent: boolean; // the provider was not to ask anything
}

/** What the states begin with of logins in a window of their own. */
export const windowState = "window.";

/** Whether an address that the provider sent one back to is of such a login. */
export function isOfWindow(search: string): boolean {
  return new URLSearchParams(search).get("state")?.startsWith(windowState) ?? false;
}

/** Writes bytes as URLs take them. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** What proves later that who has the code is who asked for it: S256 of RFC 7636. */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** The address at the provider that asks for a code. */
export function authorizationUrl(login: Login, provider: Provider, pending: Pending, challenge: string, redirect: string): string {
  const url = new URL(provider.authorization_endpoint);
  const query = {
    response_type: "code", client_id: login.clientId, redirect_uri: redirect, scope: login.scopes, state: pending.state, nonce: pending.nonce, code_challenge: challenge, code_challenge_method: "S256",
    ...(pending.silent && { prompt: "none" }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The code in an address that the provider sent one back to. An answer to another question, and a refusal, are errors. */
export function codeIn(search: string, pending: Pending | undefined): string {
  const query = new URLSearchParams(search);
  if (pending === undefined || query.get("state") !== pending.state) throw new Error("the answer is to another login: sign in again");
  const error = query.get("error");
  if (error !== null) throw new Error(query.get("error_description") ?? error);
  const code = query.get("code");
  if (code === null) throw new Error("the provider sent no code");
  return code;
}

/** The claims of an ID token, which the provider sent itself: the server checks the signature of what it gets. */
export function claimsOf(token: string): { nonce?: string; exp?: number } {
  const payload = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (c) => c.codePointAt(0) ?? 0))) as { nonce?: string; exp?: number };
}

/** In how many milliseconds a token should be renewed: a minute before its end, or half way of a short one; undefined where the end is not known. */
export function renewIn(tokens: Tokens, sent: string, now: number): number | undefined {
  const exp = sent.split(".").length === 3 ? claimsOf(sent).exp : undefined;
  const left = exp !== undefined ? exp * 1_000 - now : tokens.expires_in !== undefined ? tokens.expires_in * 1_000 : undefined;
  return left === undefined ? undefined : Math.max(left - 60_000, left / 2, 1_000);
}
