import { expect, test } from "vitest";
import { authorizationUrl, base64url, challengeOf, claimsOf, codeIn, isOfWindow, renewIn, type Login, type Pending } from "./oidc";

const login: Login = { issuer: "https://id.example.com", clientId: "ui", scopes: "openid profile", token: "id_token" };
const pending: Pending = { state: "s", nonce: "n", verifier: "v", back: "/ui/", silent: false };
const jwt = (claims: object) => `e30.${base64url(new TextEncoder().encode(JSON.stringify(claims)))}.x`;

test("the challenge is that of RFC 7636", async () => {
  expect(await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
});

test("the address asks for a code, with the proof, and for nothing to be asked where it is to be silent", () => {
  const provider = { authorization_endpoint: "https://id.example.com/auth?tenant=a", token_endpoint: "" };
  const query = (silent: boolean) => Object.fromEntries(new URL(authorizationUrl(login, provider, { ...pending, silent }, "c", "https://d/ui/login")).searchParams);
  expect(query(false)).toEqual({ tenant: "a", response_type: "code", client_id: "ui", redirect_uri: "https://d/ui/login", scope: "openid profile", state: "s", nonce: "n", code_challenge: "c", code_challenge_method: "S256" });
  expect(query(true).prompt).toBe("none");
});

test.each([
  { name: "a code", search: "?code=c&state=s", pending, want: "c" },
  { name: "of another login", search: "?code=c&state=t", pending, want: "the answer is to another login: sign in again" },
  { name: "that nobody asked for", search: "?code=c&state=s", pending: undefined, want: "the answer is to another login: sign in again" },
  { name: "a refusal", search: "?error=access_denied&error_description=not+you&state=s", pending, want: "not you" },
  { name: "nothing", search: "?state=s", pending, want: "the provider sent no code" },
])("an answer: $name", ({ search, pending: asked, want }) => {
  const read = () => {
    try {
      return codeIn(search, asked);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(read()).toBe(want);
});

test.each([
  { name: "of a window", search: "?code=c&state=window.s", want: true },
  { name: "a refusal of a window", search: "?error=access_denied&state=window.s", want: true },
  { name: "of the page", search: "?code=window.&state=s", want: false },
  { name: "of neither", search: "", want: false },
])("an answer is for the page that opened the window: $name", ({ search, want }) => {
  expect(isOfWindow(search)).toBe(want);
});

test("the claims of a token are read, whatever is in them", () => {
  expect(claimsOf(jwt({ nonce: "ñ?>", exp: 5 }))).toEqual({ nonce: "ñ?>", exp: 5 });
});

test.each([
  { name: "an hour", tokens: {}, sent: jwt({ exp: 3_600 }), want: 3_540_000 },
  { name: "a short one", tokens: {}, sent: jwt({ exp: 60 }), want: 30_000 },
  { name: "an opaque one", tokens: { expires_in: 600 }, sent: "opaque", want: 540_000 },
  { name: "without an end", tokens: {}, sent: "opaque", want: undefined },
  { name: "at its end", tokens: {}, sent: jwt({ exp: 0 }), want: 1_000 },
])("a token is renewed in time: $name", ({ tokens, sent, want }) => {
  expect(renewIn(tokens, sent, 0)).toBe(want);
});
