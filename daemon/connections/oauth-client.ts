import * as oauth from "oauth4webapi";
import { isRecord } from "../../shared/is-record.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { memberOf } from "../../shared/member-of.ts";
import type { Connections } from "../providers/sending/connections.ts";
import { type Exchange, ExchangeError, send } from "../providers/sending/send.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { Login } from "./login.ts";

/** What a token endpoint granted. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Seconds; absent: the provider did not say, or nothing that can be understood. */
  readonly lifeSeconds?: number;
  readonly scope?: string;
}

/**
 * What came of a request for tokens. `refused`: the provider's own word, such as invalid_grant. `failed`: the provider
 * may have done it all the same if `maybeDone`. Messages contain no secret.
 */
export type TokenOutcome =
  | { readonly kind: "granted"; readonly tokens: GrantedTokens }
  | { readonly kind: "refused"; readonly error: string; readonly message: string }
  | { readonly kind: "failed"; readonly maybeDone: boolean; readonly message: string };

/** What came back from the login. */
export interface LoginAnswer {
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface LoginAddress {
  readonly address: string;
  readonly verifier: string;
}

const TIMEOUT_MS = 30_000;
const REVOKE_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_000_000;

/** OAuth 2 with PKCE, through the same address guard as every call to a provider. RFC 6749, 7636, 7009, 9207. */
export class OAuthClient {
  readonly #connections: Connections;
  readonly #redactor: Redactor;

  constructor({ connections, redactor }: { readonly connections: Connections; readonly redactor: Redactor }) {
    this.#connections = connections;
    this.#redactor = redactor;
  }

  /** Throws AddressRefusedError if the login is at an address that may not be called. */
  async begin(
    login: Login,
    { state, redirectUri }: { readonly state: string; readonly redirectUri: string },
  ): Promise<LoginAddress> {
    const { auth, clientId } = login;
    const { guard } = this.#connectionTo(login);
    for (const url of [auth.authorizationUrl, auth.tokenUrl]) guard.check(new URL(url));
    const verifier = oauth.generateRandomCodeVerifier();
    this.#redactor.remember(verifier);
    const address = new URL(auth.authorizationUrl);
    const ours = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(auth.scope !== undefined && { scope: auth.scope }),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries({ ...auth.parameters, ...ours })) address.searchParams.set(name, value);
    return { address: address.href, verifier };
  }

  /** Turns the code of a login into tokens. */
  async exchange(login: Login, answer: LoginAnswer): Promise<TokenOutcome> {
    const code = answer.parameters.get("code");
    if (code !== null) this.#redactor.remember(code);
    const as = serverOf(login, answer.parameters.get("iss"));
    if (as === undefined) return { kind: "refused", error: "iss", message: "the login was answered by another issuer" };
    let callback: URLSearchParams;
    try {
      callback = oauth.validateAuthResponse(as, clientOf(login), answer.parameters, answer.state);
    } catch (error) {
      return refusedLogin(error, answer.parameters);
    }
    return await this.#askForTokens(login, async (options) => {
      const { redirectUri, verifier } = answer;
      const auth = authenticationOf(login);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        clientOf(login),
        auth,
        callback,
        redirectUri,
        verifier,
        options,
      );
      return await oauth.processAuthorizationCodeResponse(as, clientOf(login), response);
    });
  }

  async renew(login: Login, refreshToken: string): Promise<TokenOutcome> {
    const as = { ...serverAt(login), token_endpoint: login.auth.refreshUrl ?? login.auth.tokenUrl };
    return await this.#askForTokens(login, async (options) => {
      const auth = authenticationOf(login);
      const response = await oauth.refreshTokenGrantRequest(as, clientOf(login), auth, refreshToken, options);
      return await oauth.processRefreshTokenResponse(as, clientOf(login), response);
    });
  }

  /** Undefined when the provider has revoked it; else why not. */
  async revoke(login: Login, token: string): Promise<string | undefined> {
    const { revocationUrl } = login.auth;
    if (revocationUrl === undefined) return "its file names no revocationUrl";
    const as = { ...serverAt(login), revocation_endpoint: revocationUrl };
    const wire = this.#wire(login, REVOKE_TIMEOUT_MS);
    try {
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, clientOf(login), authenticationOf(login), token, wire.options),
      );
      return undefined;
    } catch {
      return wire.failure()?.message ?? `${new URL(revocationUrl).host} answered ${wire.status() ?? "nothing"}`;
    } finally {
      wire.release();
    }
  }

  async #askForTokens(
    login: Login,
    ask: (options: oauth.TokenEndpointRequestOptions) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<TokenOutcome> {
    const wire = this.#wire(login, TIMEOUT_MS);
    try {
      const tokens = await ask(wire.options);
      if (tokens.token_type !== "bearer") {
        return { kind: "failed", maybeDone: true, message: "the provider gave tokens of another type than Bearer" };
      }
      return { kind: "granted", tokens: this.#read(tokens) };
    } catch {
      // What the library throws has the whole answer in it, tokens included: it is told in words of our own.
      return this.#failed(login, wire);
    } finally {
      wire.release();
    }
  }

  #read(tokens: oauth.TokenEndpointResponse): GrantedTokens {
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: lifeSeconds, scope } = tokens;
    this.#redactor.remember(accessToken);
    if (refreshToken !== undefined) this.#redactor.remember(refreshToken);
    return {
      accessToken,
      ...(refreshToken !== undefined && refreshToken !== "" && { refreshToken }),
      ...(lifeSeconds !== undefined && { lifeSeconds }),
      ...(scope !== undefined && { scope }),
    };
  }

  #failed(login: Login, wire: Wire): TokenOutcome {
    const { host } = new URL(login.auth.tokenUrl);
    const failure = wire.failure();
    if (failure !== undefined) return { kind: "failed", maybeDone: failure.maybeExecuted, message: failure.message };
    const status = wire.status();
    const error = wire.error();
    if (status !== undefined && status >= 400 && status < 500 && error !== undefined) {
      return { kind: "refused", error, message: `${host} answered ${error}` };
    }
    const isRedirect = status !== undefined && status >= 300 && status < 400;
    const what = isRedirect
      ? `a redirect (${status}), which is not followed`
      : `status ${status ?? "?"} without usable tokens`;
    // A server's own failure granted nothing. A success that cannot be read may have, and so may a server that somebody between
    // had no answer of.
    const maybeDone = status !== undefined && (status < 300 || isAnswerLost(status));
    return { kind: "failed", maybeDone, message: `${host} gave ${what}` };
  }

  #connectionTo({ provider, allowPrivateNetwork }: Login) {
    return this.#connections.to({ provider: provider.provider, version: provider, allowPrivateNetwork });
  }

  /** One exchange for the library, which gets the answer of our own sender. */
  #wire(login: Login, timeoutMs: number): Wire {
    const { guard, unrepeated } = this.#connectionTo(login);
    const deadline = linkSignals([], timeoutMs);
    let exchange: Exchange | undefined;
    let failure: ExchangeError | undefined;
    const fetch = async (url: string, init: { body?: unknown; headers: Record<string, string> }): Promise<Response> => {
      const headers = lowerNames({ ...init.headers, "accept-encoding": "identity", "user-agent": "mkt" });
      const body = init.body instanceof URLSearchParams ? init.body.toString() : undefined;
      try {
        exchange = await send(
          { method: "POST", url: new URL(url), headers, ...(body !== undefined && { body }) },
          {
            dispatcher: unrepeated,
            guard,
            signal: deadline.signal,
            maxResponseBytes: MAX_RESPONSE_BYTES,
            media: "auto",
          },
        );
      } catch (error) {
        if (error instanceof ExchangeError) failure = this.#inWords(error);
        throw error;
      }
      return toResponse(exchange);
    };
    return {
      options: { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true } as oauth.TokenEndpointRequestOptions,
      status: () => exchange?.status,
      error: () => oauthErrorOf(exchange),
      failure: () => failure,
      release: () => deadline.release(),
    };
  }

  #inWords(error: ExchangeError): ExchangeError {
    const { kind, maybeExecuted } = error;
    return new ExchangeError(this.#redactor.text(error.message), { kind, maybeExecuted });
  }
}

interface Wire {
  /** `allowInsecureRequests`: the guard decides which hosts may be plain http. */
  readonly options: oauth.TokenEndpointRequestOptions;
  status(): number | undefined;
  error(): string | undefined;
  failure(): ExchangeError | undefined;
  release(): void;
}

function lowerNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The answer as the library reads it. An ID token is not used, so it is not kept; a life that is no time is left out. */
function toResponse({ status, headers, body }: Exchange): Response {
  const challenge = headers["www-authenticate"];
  const shown = {
    ...(isRecord(body) && { "content-type": "application/json" }),
    ...(typeof challenge === "string" && { "www-authenticate": challenge }),
  };
  // A Response cannot have these, and they are no success either.
  const usable = status >= 200 && status <= 599 ? status : 502;
  if ([204, 205, 304].includes(usable)) return new Response(null, { status: usable });
  if (!isRecord(body)) return new Response(typeof body === "string" ? body : null, { status: usable });
  const { id_token: _unused, expires_in: life, ...members } = body;
  const seconds = typeof life === "string" && life.trim() !== "" ? Number(life) : life;
  const isTime = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0;
  return new Response(JSON.stringify({ ...members, ...(isTime && { expires_in: seconds }) }), {
    status: usable,
    headers: shown,
  });
}

/** The error in the answer, if it is a word as RFC 6749, 5.2, has them. */
function oauthErrorOf(exchange: Exchange | undefined): string | undefined {
  const error = memberOf(exchange?.body, "error");
  return typeof error === "string" && /^[A-Za-z0-9_.-]{1,60}$/.test(error) ? error : undefined;
}

/** What gateways and proxies answer when the server behind them did not, or too late. 520 to 524 are of a large one. */
function isAnswerLost(status: number): boolean {
  return status === 408 || status === 502 || status === 504 || (status >= 520 && status <= 524);
}

/** The word that a provider gave instead of a code. */
function refusedLogin(error: unknown, parameters: URLSearchParams): TokenOutcome {
  const told = parameters.get("error") ?? "";
  const word = /^[A-Za-z0-9_.-]{1,60}$/.test(told) ? told : "invalid_response";
  if (error instanceof oauth.AuthorizationResponseError) {
    const what = word === "access_denied" ? "the login was refused (access_denied)" : `the provider answered ${word}`;
    return { kind: "refused", error: word, message: what };
  }
  return { kind: "refused", error: "invalid_response", message: "the answer to the login is not one to this login" };
}

function serverAt({ auth }: Login): oauth.AuthorizationServer {
  const { authorizationUrl, tokenUrl } = auth;
  return {
    issuer: auth.issuer ?? new URL(authorizationUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    // Who names the issuer in the file says that the server tells it.
    ...(auth.issuer !== undefined && { authorization_response_iss_parameter_supported: true }),
  };
}

/** The server by the issuer that it told; undefined for a foreign one. Without `issuer` in the file, its origin counts. */
function serverOf(login: Login, told: string | null): oauth.AuthorizationServer | undefined {
  const as = serverAt(login);
  if (login.auth.issuer !== undefined || told === null) return as;
  const own = [login.auth.authorizationUrl, login.auth.tokenUrl].map((url) => new URL(url).origin);
  return URL.canParse(told) && own.includes(new URL(told).origin) ? { ...as, issuer: told } : undefined;
}

function clientOf({ clientId }: Login): oauth.Client {
  return { client_id: clientId };
}

function authenticationOf({ auth, clientSecret }: Login): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  return auth.style === "basic" ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
}
