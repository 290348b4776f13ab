import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** What may go wrong at the token endpoint; undefined: it answers as it should. */
export interface TokenFault {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The grant is made (and the old refresh token spent), and the answer never comes. */
  readonly hangAfterGrant?: true;
  /** The grant is made, and the connection breaks. */
  readonly resetAfterGrant?: true;
  readonly reset?: true;
  /** Bytes without end. */
  readonly endless?: true;
  /** Waits for this before it answers. */
  readonly after?: Promise<unknown>;
  /** Over the members of a good answer; undefined removes one. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface TokenRequest {
  readonly grant: string | null;
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

interface Code {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
  isUsed: boolean;
}

/** All tokens that came of one login. */
interface Family {
  isRevoked: boolean;
  refreshToken: string;
}

export interface OAuthServerOptions {
  /** Absent: a public client. */
  readonly clientSecret?: string;
  /** Refresh tokens are used once. */
  readonly rotates?: boolean;
  /** Seconds that access tokens live, as it says. */
  readonly expiresIn?: number;
  /** The scopes that it grants, whatever is asked. */
  readonly grants?: string;
  /** Told to the client with each code. RFC 9207. */
  readonly tellsIssuer?: boolean;
}

export const CLIENT_ID = "mkt-test-client";

/**
 * An OAuth 2 server with a page for a person, PKCE, rotation with detection of reuse, and revocation; and the API that
 * its access tokens open.
 */
export class OAuthServer implements AsyncDisposable {
  readonly tokenRequests: TokenRequest[] = [];
  readonly revoked: string[] = [];
  /** Paths of the API that were called with a good token, and those with a bad one. */
  readonly served: string[] = [];
  readonly refused: string[] = [];
  /** How often a spent refresh token came. */
  reuses = 0;
  options: OAuthServerOptions;
  /** One fault for each coming request of tokens. */
  readonly faults: TokenFault[] = [];
  /** Headers of a 401 of the API. */
  challenge: string | undefined = 'Bearer error="invalid_token"';
  /** The API answers, and takes every token for a bad one, while this is true. */
  refusesTokens = false;
  /** The API and revocations are answered after this. */
  held: Promise<unknown> = Promise.resolve();
  readonly #codes = new Map<string, Code>();
  readonly #families: Family[] = [];
  readonly #accessTokens = new Map<string, Family>();
  readonly #spent = new Map<string, Family>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(options: OAuthServerOptions) {
    this.options = options;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(options: OAuthServerOptions = {}): Promise<OAuthServer> {
    const server = new OAuthServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** A provider file with a login here. */
  manifest(auth: Readonly<Record<string, unknown>> = {}, http: Readonly<Record<string, unknown>> = {}): object {
    return {
      displayName: "Accounts",
      http: {
        baseUrl: `${this.url}/api`,
        allowPrivateNetwork: true,
        retry: { attempts: 3, backoffMs: 0 },
        auth: {
          type: "oauth2",
          flow: "authorizationCode",
          authorizationUrl: `${this.url}/authorize`,
          tokenUrl: `${this.url}/token`,
          revocationUrl: `${this.url}/revoke`,
          clientId: CLIENT_ID,
          scope: "read write",
          ...auth,
        },
        ...http,
      },
      categories: ["developer/data"],
      price: { type: "PER_CALL", amount: 0.001 },
      endpoints: {
        "/me": { description: "Who is logged in.", request: { method: "GET", path: "/me" } },
        "/orders": {
          description: "Make an order.",
          request: { method: "POST", path: "/orders" },
          input: { body: { type: "object", properties: { what: { type: "string" } } } },
        },
      },
    };
  }

  /** What a person does in the browser: opens the address, agrees, and is sent back. The address that they land on. */
  async login(address: string, { agrees = true }: { readonly agrees?: boolean } = {}): Promise<string> {
    const page = await (await fetch(address)).text();
    const [, ticket] = /name="ticket" value="([^"]+)"/.exec(page) ?? [];
    if (ticket === undefined) throw new Error(`the login page said: ${page}`);
    const answer = await fetch(`${this.url}/consent`, {
      method: "POST",
      body: new URLSearchParams({ ticket, agrees: String(agrees) }),
      redirect: "manual",
    });
    return answer.headers.get("location") ?? "";
  }

  /** Access tokens are good no longer; refresh tokens are. */
  expireAccessTokens(): void {
    this.#accessTokens.clear();
  }

  /** The person takes back what was granted. */
  revokeAll(): void {
    for (const family of this.#families) family.isRevoked = true;
    this.#accessTokens.clear();
  }

  count(grant: string): number {
    return this.tokenRequests.filter((request) => request.grant === grant).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const form = new URLSearchParams(await textOf(request));
    if (url.pathname === "/authorize") return this.#showPage(url.searchParams, response);
    if (url.pathname === "/consent") return this.#consent(form, response);
    if (url.pathname === "/token") return await this.#token(request, form, response);
    if (url.pathname === "/revoke") return await this.#revoke(form, response);
    return await this.#api(request, url, response);
  }

  #showPage(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get("redirect_uri") ?? "";
    const isRegistered = /^(http:\/\/127\.0\.0\.1:\d+|https:\/\/mkt\.example)\/oauth\/callback\/[a-z0-9-]+$/.test(
      redirectUri,
    );
    const isGood =
      isRegistered &&
      query.get("client_id") === CLIENT_ID &&
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256";
    if (!isGood) return send(response, 400, "this login is refused");
    const ticket = Buffer.from(query.toString()).toString("base64url");
    response.setHeader("content-type", "text/html");
    send(
      response,
      200,
      `<form method="post" action="/consent"><input name="ticket" value="${ticket}"><button>Agree</button></form>`,
    );
  }

  #consent(form: URLSearchParams, response: ServerResponse): void {
    const query = new URLSearchParams(Buffer.from(form.get("ticket") ?? "", "base64url").toString());
    const back = new URL(query.get("redirect_uri") ?? "");
    const state = query.get("state");
    if (state !== null) back.searchParams.set("state", state);
    if (form.get("agrees") === "true") {
      const code = token("code");
      const scope = this.options.grants ?? query.get("scope") ?? "";
      const [challenge, redirectUri] = [query.get("code_challenge") ?? "", query.get("redirect_uri") ?? ""];
      this.#codes.set(code, { challenge, redirectUri, scope, isUsed: false });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
    }
    if (this.options.tellsIssuer === true) back.searchParams.set("iss", this.url);
    response.setHeader("location", back.href);
    send(response, 302, "");
  }

  async #token(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers;
    this.tokenRequests.push({ grant: form.get("grant_type"), form, authorization });
    const fault = this.faults.shift();
    await fault?.after;
    if (fault?.reset === true) return void request.socket.destroy();
    if (fault?.endless === true) return endless(response);
    if (fault?.status !== undefined) {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      return sendJson(response, fault.status, fault.body ?? {});
    }
    if (!this.#isClient(form, authorization)) return sendJson(response, 401, { error: "invalid_client" });
    const granted = form.get("grant_type") === "refresh_token" ? this.#refresh(form) : this.#redeem(form);
    if (granted === undefined) return sendJson(response, 400, { error: "invalid_grant" });
    if (fault?.hangAfterGrant === true) return;
    if (fault?.resetAfterGrant === true) return void request.socket.destroy();
    const members = { ...granted, ...fault?.members };
    sendJson(response, 200, members);
  }

  #isClient(form: URLSearchParams, authorization: string | undefined): boolean {
    const { clientSecret } = this.options;
    if (clientSecret === undefined) return form.get("client_id") === CLIENT_ID;
    const [id = "", secret = ""] = Buffer.from((authorization ?? "").slice("Basic ".length), "base64")
      .toString()
      .split(":");
    // Both are spelled as in a form. RFC 6749, 2.3.1.
    const isBasic = decodeURIComponent(id) === CLIENT_ID && decodeURIComponent(secret) === clientSecret;
    const inBody = form.get("client_id") === CLIENT_ID && form.get("client_secret") === clientSecret;
    return isBasic || inBody;
  }

  #redeem(form: URLSearchParams): object | undefined {
    const code = this.#codes.get(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    const isGood =
      code !== undefined &&
      !code.isUsed &&
      code.redirectUri === form.get("redirect_uri") &&
      code.challenge === createHash("sha256").update(verifier).digest("base64url");
    if (!isGood) return undefined;
    code.isUsed = true;
    const family: Family = { isRevoked: false, refreshToken: token("refresh") };
    this.#families.push(family);
    return { ...this.#access(family), refresh_token: family.refreshToken, scope: code.scope };
  }

  #refresh(form: URLSearchParams): object | undefined {
    const given = form.get("refresh_token") ?? "";
    const spent = this.#spent.get(given);
    if (spent !== undefined) {
      // Somebody else may have stolen it: nobody keeps anything of this login. RFC 9700, 4.14.2.
      this.reuses += 1;
      spent.isRevoked = true;
      return undefined;
    }
    const family = this.#families.find(({ refreshToken }) => refreshToken === given);
    if (family === undefined || family.isRevoked) return undefined;
    if (this.options.rotates !== true) return this.#access(family);
    this.#spent.set(given, family);
    family.refreshToken = token("refresh");
    return { ...this.#access(family), refresh_token: family.refreshToken };
  }

  #access(family: Family): object {
    const accessToken = token("access");
    this.#accessTokens.set(accessToken, family);
    const { expiresIn } = this.options;
    return {
      access_token: accessToken,
      token_type: "Bearer",
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
    };
  }

  async #revoke(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const given = form.get("token") ?? "";
    this.revoked.push(given);
    await this.held;
    for (const family of this.#families) if (family.refreshToken === given) family.isRevoked = true;
    send(response, 200, "");
  }

  async #api(request: IncomingMessage, { pathname }: URL, response: ServerResponse): Promise<void> {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const family = this.#accessTokens.get(given);
    if (family === undefined || family.isRevoked || this.refusesTokens) {
      this.refused.push(`${request.method} ${pathname}`);
      if (this.challenge !== undefined) response.setHeader("www-authenticate", this.challenge);
      return sendJson(response, 401, { error: "invalid_token" });
    }
    this.served.push(`${request.method} ${pathname}`);
    await this.held;
    // An API that says back what it was called with: the token must not come through.
    sendJson(response, 200, { name: "Ada", login: this.#families.indexOf(family) + 1, calledWith: given });
  }
}

function token(kind: string): string {
  return `${kind}-${randomBytes(24).toString("base64url")}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function send(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.end(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.setHeader("content-type", "application/json");
  send(response, status, JSON.stringify(body));
}

/** Sends until the other side has had enough. */
function endless(response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  response.write('{"access_token":"');
  // In a turn of its own: a write to a connection that has closed calls back at once, before its response knows of that.
  const more = () => {
    if (!response.destroyed) response.write("a".repeat(65_536), () => setImmediate(more));
  };
  more();
}
