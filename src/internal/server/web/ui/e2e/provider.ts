import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A small provider of OpenID Connect: one user, who signs in by pressing a button; public clients with PKCE. */
export interface Provider {
  url: string;
  /** For how many seconds tokens hold. */
  lifetime: number;
  /** Whether tokens are renewed. */
  renews: boolean;
  /** Who the user is. */
  user: string;
  /** Whether the user has a session, so that nothing is asked. */
  session: boolean;
  /** The grants that were given. */
  grants: string[];
  stop: () => void;
}

const clientId = "dovetail-ui";

export async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, { challenge: string; nonce: string; redirect: string }>();
  const sign = (claims: object) => {
    const text = `${encode({ alg: "RS256", kid: "k" })}.${encode(claims)}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey, "base64url")}`;
  };
  const provider: Provider = { url: "", lifetime: 3_600, renews: true, user: "ann", session: false, grants: [], stop: () => undefined };
  const tokens = (nonce?: string) => {
    const now = Math.floor(Date.now() / 1_000);
    return { token_type: "Bearer", refresh_token: "again", access_token: "opaque", expires_in: provider.lifetime, id_token: sign({ iss: provider.url, aud: clientId, sub: provider.user, groups: ["readers"], iat: now, exp: now + provider.lifetime, jti: randomBytes(4).toString("hex"), ...(nonce && { nonce }) }) };
  };
  const exchange = (form: URLSearchParams): [number, object] => {
    provider.grants.push(form.get("grant_type") ?? "");
    if (form.get("client_id") !== clientId) return [401, { error: "invalid_client" }];
    if (form.get("grant_type") === "refresh_token") return form.get("refresh_token") === "again" && provider.renews ? [200, tokens()] : [400, { error: "invalid_grant" }];
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proven = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (asked?.challenge !== proven || asked.redirect !== form.get("redirect_uri")) return [400, { error: "invalid_grant", error_description: "the code is not yours" }];
    return [200, tokens(asked.nonce)];
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", provider.url);
    const json = (status: number, body: object) => {
      response.writeHead(status, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" });
      response.end(JSON.stringify(body));
    };
    const back = (answer: Record<string, string>) => {
      const to = new URL(url.searchParams.get("redirect_uri") ?? "");
      for (const [name, value] of Object.entries({ ...answer, state: url.searchParams.get("state") ?? "" })) to.searchParams.set(name, value);
      response.writeHead(302, { Location: to.href });
      response.end();
    };
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, { issuer: provider.url, authorization_endpoint: `${provider.url}/auth`, token_endpoint: `${provider.url}/token`, jwks_uri: `${provider.url}/keys`, end_session_endpoint: `${provider.url}/out`, id_token_signing_alg_values_supported: ["RS256"] });
      case "/keys":
        return json(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" }] });
      case "/token":
        return json(...exchange(await formOf(request)));
      case "/out":
        provider.session = false;
        response.writeHead(302, { Location: url.searchParams.get("post_logout_redirect_uri") ?? "" });
        return response.end();
      case "/auth": {
        if (!provider.session && url.searchParams.get("prompt") === "none") return back({ error: "login_required" });
        if (!provider.session && !url.searchParams.has("yes")) {
          url.searchParams.set("yes", "1");
          response.writeHead(200, { "Content-Type": "text/html" });
          return response.end(`<!doctype html><title>Provider</title><a href="${url.href.replaceAll("&", "&amp;")}">I am Ann</a>`);
        }
        provider.session = true;
        const code = randomBytes(8).toString("hex");
        codes.set(code, { challenge: url.searchParams.get("code_challenge") ?? "", nonce: url.searchParams.get("nonce") ?? "", redirect: url.searchParams.get("redirect_uri") ?? "" });
        return back({ code });
      }
      default:
        return json(404, {});
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider.stop = () => server.close();
  return provider;
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const part of request) text += String(part);
  return new URLSearchParams(text);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
