import { setHeldToken } from "../api/session";
import { authorizationUrl, base64url, challengeOf, claimsOf, codeIn, isOfWindow, renewIn, windowState, type Login, type Pending, type Provider, type Tokens } from "./oidc";
import { forgetInput } from "../shell/kept";

/** Where it is remembered, in this window, what was asked at the provider. */
const place = "dovetail-login";

/** Where this browser remembers that one signed in at the provider, so that a page that is opened does it again without a question. */
const remembered = "dovetail-signed-in";

/** For how long the provider and the server may take to answer: a page that cannot sign in still shows. */
const patience = 10_000;

/** Why the last login did not succeed; empty if it did. */
export let loginFailure = "";

/** The login in force, which signing out and renewal need. It is in memory alone. */
let current: { login: Login; provider: Provider; tokens: Tokens } | undefined;

/** Where people sign in; undefined where the server has no provider for that. */
export async function readLogin(): Promise<Login | undefined> {
  const response = await fetch("/", { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(patience) });
  return ((await response.json()) as { login?: Login }).login;
}

/** Goes to the provider to sign in, and comes back to where one is. */
export async function beginLogin(login: Login): Promise<void> {
  await goToProvider(login, false);
}

async function goToProvider(login: Login, silent: boolean): Promise<void> {
  const provider = await discover(login);
  const pending = newPending("", silent);
  sessionStorage.setItem(place, JSON.stringify(pending));
  location.assign(await addressOf(login, provider, pending));
}

/** The browser did not open the window in which one would sign in. */
export class WindowBlocked extends Error {}

/** The channel on which the answer is awaited of the window that was opened last. */
let awaited: BroadcastChannel | undefined;

/**
 * Signs in at the provider in a window of its own, over a page that stays as it is. It is to be called by a click, or browsers open no window. When that
 * window is closed no page is told, so that it may be called again; the call before then never ends.
 */
export async function loginInWindow(login: Login): Promise<void> {
  const opened = window.open("", "", "popup,width=520,height=720"); // before anything is awaited
  if (opened === null) throw new WindowBlocked();
  try {
    const provider = await discover(login);
    const pending = newPending(windowState, false);
    awaited?.close();
    const channel = new BroadcastChannel(place);
    awaited = channel;
    const answer = new Promise<string>((resolve) => {
      channel.addEventListener("message", ({ data }: MessageEvent<string>) => {
        if (new URLSearchParams(data).get("state") === pending.state) resolve(data); // and not that of another page
      });
    });
    opened.location.assign(await addressOf(login, provider, pending));
    const search = await answer;
    channel.close();
    await exchange(login, provider, pending, search);
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Gives the page that opened this window the answer of the provider. The code in it is of use for that page alone, which has the verifier. */
function answerPage(): void {
  new BroadcastChannel(place).postMessage(location.search); // oxlint-disable-line unicorn/require-post-message-target-origin -- a channel has none
  history.replaceState(null, "", "/ui/login");
  window.close();
  document.querySelector("#frame-done")?.removeAttribute("hidden"); // some browsers do not close it
}

function newPending(prefix: string, silent: boolean): Pending {
  return { state: prefix + randomText(), nonce: randomText(), verifier: randomText(), back: location.pathname + location.search, silent };
}

async function addressOf(login: Login, provider: Provider, pending: Pending): Promise<string> {
  return authorizationUrl(login, provider, pending, await challengeOf(pending.verifier), redirectUri());
}

/**
 * Runs before the page is shown: takes the answer of the provider where that sent one back, and otherwise asks it again where one had
 * signed in, since tokens are not kept. Says whether the page goes away, to the provider.
 */
export async function resumeLogin(): Promise<boolean> {
  const back = location.pathname === new URL(redirectUri()).pathname;
  if (!back && localStorage.getItem(remembered) === null) return false;
  if (back && isOfWindow(location.search)) {
    answerPage();
    return true;
  }
  try {
    const login = await readLogin();
    if (login === undefined) return false;
    if (!back) {
      await goToProvider(login, true);
      return true;
    }
    await finishLogin(login);
  } catch (error) {
    localStorage.removeItem(remembered);
    if (back) history.replaceState(null, "", "/ui/");
    loginFailure = error instanceof Error ? error.message : String(error);
  }
  return false;
}

/** Takes the answer in the address, and goes back to where one was. */
async function finishLogin(login: Login): Promise<void> {
  const kept = sessionStorage.getItem(place);
  const pending = kept === null ? undefined : (JSON.parse(kept) as Pending);
  sessionStorage.removeItem(place);
  const { search } = location;
  history.replaceState(null, "", pending?.back ?? "/ui/");
  if (pending?.silent && new URLSearchParams(search).has("error")) { // the provider would have to ask: then one is asked here
    localStorage.removeItem(remembered);
    return;
  }
  codeIn(search, pending); // before the provider is asked
  await exchange(login, await discover(login), pending, search);
}

/** Exchanges the code in an answer for tokens, which are held from then on. */
async function exchange(login: Login, provider: Provider, pending: Pending | undefined, search: string): Promise<void> {
  const code = codeIn(search, pending);
  const tokens = await ask(provider, { grant_type: "authorization_code", client_id: login.clientId, code, redirect_uri: redirectUri(), code_verifier: pending?.verifier ?? "" });
  if (tokens.id_token !== undefined && claimsOf(tokens.id_token).nonce !== pending?.nonce) throw new Error("the token is of another login: sign in again");
  hold({ login, provider, tokens });
  localStorage.setItem(remembered, "true");
}

/** Keeps tokens in memory, and has them renewed before they end. */
function hold(next: NonNullable<typeof current>): void {
  const { login, provider, tokens } = next;
  const sent = tokens[login.token];
  if (sent === undefined) throw new Error(`the provider sent no ${login.token}`);
  current = next;
  setHeldToken(sent);
  const wait = renewIn(tokens, sent, Date.now());
  const refresh = tokens.refresh_token;
  if (wait === undefined || refresh === undefined) return;
  setTimeout(() => {
    if (current !== next) return;
    ask(provider, { grant_type: "refresh_token", client_id: login.clientId, refresh_token: refresh })
      .then((renewed) => hold({ login, provider, tokens: { ...tokens, ...renewed } }))
      .catch(() => undefined); // the token ends, and the page asks who one is
  }, wait);
}

/** Forgets who one is, here and, where it can be told, at the provider. */
export function signOut(): void {
  localStorage.removeItem(remembered);
  forgetInput();
  setHeldToken("");
  const { login, provider, tokens } = current ?? {};
  current = undefined;
  if (login === undefined || provider?.end_session_endpoint === undefined) {
    location.assign("/ui/");
    return;
  }
  const url = new URL(provider.end_session_endpoint);
  url.searchParams.set("client_id", login.clientId);
  url.searchParams.set("post_logout_redirect_uri", `${location.origin}/ui/`);
  if (tokens?.id_token) url.searchParams.set("id_token_hint", tokens.id_token);
  location.assign(url.href);
}

/** Ends the renewal of the login in force, in whose place a token was typed. */
export function dropLogin(): void {
  current = undefined;
  localStorage.removeItem(remembered);
}

async function discover(login: Login): Promise<Provider> {
  if (!isSecureContext) throw new Error("browsers let people sign in at a provider only where the page is served over HTTPS");
  const response = await fetch(`${login.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(patience) });
  if (!response.ok) throw new Error(`${login.issuer} answers ${response.status}`);
  return (await response.json()) as Provider;
}

async function ask(provider: Provider, form: Record<string, string>): Promise<Tokens> {
  const response = await fetch(provider.token_endpoint, { method: "POST", body: new URLSearchParams(form), signal: AbortSignal.timeout(patience) });
  const answer = (await response.json()) as Tokens & { error?: string; error_description?: string };
  if (!response.ok) throw new Error(answer.error_description ?? answer.error ?? `the provider answers ${response.status}`);
  return answer;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function redirectUri(): string {
  return `${location.origin}/ui/login`;
}
