import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, SignJWT } from "jose";
import { newSigningKey, type SigningKey } from "./identity-provider.ts";

export interface OidcOptions {
  /** Members of the discovery document over the usual ones; undefined removes one. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Members of the redirect back. */
  readonly redirect?: Readonly<Record<string, string | undefined>>;
  readonly idToken?: JWTPayload;
  readonly accessToken?: JWTPayload;
  /** The answer of the token endpoint has none of these. */
  readonly without?: readonly string[];
  /** The person says no. */
  readonly refuses?: true;
  /** Status of the discovery document. */
  readonly status?: number;
}

interface Code {
  readonly query: URLSearchParams;
  isUsed: boolean;
}

const AUDIENCE = "https://mkt.example";

/**
 * An OpenID Connect provider on a free port: discovery, keys, a page on which a person says yes by a form, codes with PKCE that
 * are good once, and a token endpoint that browsers of one origin may ask.
 */
export class OidcServer implements AsyncDisposable {
  static readonly clientId = "mkt-console";
  options: OidcOptions = {};
  /** The address that the client has registered. */
  redirectUri = "";
  readonly codes: string[] = [];
  readonly tokens: string[] = [];
  /** What was asked of the token endpoint. */
  readonly tokenRequests: { readonly form: URLSearchParams; readonly headers: IncomingMessage["headers"] }[] = [];
  discoveries = 0;
  readonly #codes = new Map<string, Code>();
  readonly #key: SigningKey;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(key: SigningKey) {
    this.#key = key;
  }

  static async start(): Promise<OidcServer> {
    const server = new OidcServer(await newSigningKey());
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a daemon needs to let people sign in here. */
  get environment(): Readonly<Record<string, string>> {
    return {
      MKT_JWT_ISSUER: this.issuer,
      MKT_JWT_AUDIENCE: AUDIENCE,
      MKT_JWT_JWKS_URL: `${this.issuer}/jwks.json`,
      MKT_CONSOLE_CLIENT_ID: OidcServer.clientId,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    const form = new URLSearchParams(await textOf(request));
    if (url.pathname === "/.well-known/openid-configuration") return this.#discovery(response);
    if (url.pathname === "/jwks.json") return sendJson(response, 200, { keys: [this.#key.jwk] });
    if (url.pathname === "/authorize") return this.#showPage(url.searchParams, response);
    if (url.pathname === "/consent") return this.#consent(form, response);
    if (url.pathname === "/token") return await this.#token(request, form, response);
    response.writeHead(404).end();
  }

  #discovery(response: ServerResponse): void {
    this.discoveries += 1;
    const document = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks.json`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...this.options.metadata,
    };
    sendJson(response, this.options.status ?? 200, document);
  }

  /** RFC 6749, 4.1.1: a redirect that is not registered is never followed. */
  #showPage(query: URLSearchParams, response: ServerResponse): void {
    const isGood =
      query.get("redirect_uri") === this.redirectUri &&
      query.get("client_id") === OidcServer.clientId &&
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256" &&
      query.has("state");
    response.setHeader("content-type", "text/html");
    if (!isGood) return void response.writeHead(400).end(`<h1>refused</h1><p>${query.get("redirect_uri")}</p>`);
    const asked = Buffer.from(query.toString()).toString("base64url");
    const field = `<input type="hidden" name="asked" value="${asked}">`;
    response.end(`<h1>Sign in</h1><form method="post" action="/consent">${field}<button>I am Ada</button></form>`);
  }

  #consent(form: URLSearchParams, response: ServerResponse): void {
    const query = new URLSearchParams(Buffer.from(form.get("asked") ?? "", "base64url").toString());
    const back = new URL(this.redirectUri);
    const code = randomBytes(24).toString("base64url");
    this.codes.push(code);
    this.#codes.set(code, { query, isUsed: false });
    const refusal = { error: "access_denied", error_description: "Ada said no" };
    const answer = this.options.refuses === true ? refusal : { code };
    const members = { state: query.get("state") ?? "", iss: this.issuer, ...answer, ...this.options.redirect };
    for (const [name, value] of Object.entries(members)) if (value !== undefined) back.searchParams.set(name, value);
    response.writeHead(303, { location: back.href }).end();
  }

  async #token(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    // As providers do for the origins that a client has registered.
    if (origin === new URL(this.redirectUri).origin) response.setHeader("access-control-allow-origin", origin);
    this.tokenRequests.push({ form, headers: request.headers });
    const code = this.#codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      code !== undefined &&
      !code.isUsed &&
      form.get("client_id") === OidcServer.clientId &&
      form.get("redirect_uri") === code.query.get("redirect_uri") &&
      challenge === code.query.get("code_challenge");
    if (!isGood) return sendJson(response, 400, { error: "invalid_grant" });
    code.isUsed = true;
    const token = await this.#sign("at+jwt", { aud: AUDIENCE, org_id: "org_1", ...this.options.accessToken });
    this.tokens.push(token);
    const nonce = code.query.get("nonce");
    const own = { aud: OidcServer.clientId, ...(nonce !== null && { nonce }), ...this.options.idToken };
    const members = {
      access_token: token,
      token_type: "Bearer",
      expires_in: 300,
      ...(code.query.get("scope")?.includes("openid") === true && { id_token: await this.#sign("JWT", own) }),
    };
    const given = Object.entries(members).filter(([name]) => this.options.without?.includes(name) !== true);
    sendJson(response, 200, Object.fromEntries(given));
  }

  async #sign(typ: string, claims: JWTPayload): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = {
      iss: this.issuer,
      sub: "ada",
      preferred_username: "ada",
      org_name: "Acme",
      iat: now,
      exp: now + 300,
      ...claims,
    };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const { algorithm: alg, kid, privateKey } = this.#key;
    return await new SignJWT(given).setProtectedHeader({ alg, kid, typ }).sign(privateKey);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
