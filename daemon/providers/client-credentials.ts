import type { Auth } from "../manifest/manifest.ts";
import type { Clock } from "../base/clock.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { Connection } from "./sending/connections.ts";
import { isSuccess, toMessage } from "./answer/error-rules.ts";
import { readPath } from "../manifest/extract.ts";
import type { Redactor } from "../redaction/redact.ts";
import { renderClient } from "./request/request-auth.ts";
import { type Exchange, ExchangeError, send, untilAborted } from "./sending/send.ts";
import type { TemplateScope } from "../manifest/template.ts";

export type ClientCredentials = Extract<Auth, { type: "clientCredentials" }>;

export interface TokenRequest {
  readonly provider: string;
  readonly auth: ClientCredentials;
  readonly scope: TemplateScope;
  readonly connection: Connection;
  readonly signal: AbortSignal;
}

interface CachedToken {
  readonly token: Promise<string>;
  expiresAt: number;
}

const TOKEN_TIMEOUT_MS = 30_000;
const MAX_TOKEN_RESPONSE_BYTES = 1_000_000;
/** Used when the token endpoint does not state the lifetime of its token; a 401 refreshes it earlier. */
const DEFAULT_LIFE_MS = 3_600_000;
/** A token is renewed before its expiry, so that none expires in transit. */
const RENEW_BEFORE_MS = 30_000;

/**
 * Access tokens by OAuth 2 client credentials (RFC 6749, 4.4), fetched once for all concurrent callers and kept only in
 * memory.
 */
export class AccessTokens {
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #tokens = new Map<string, CachedToken>();

  constructor({ clock, redactor }: { clock: Clock; redactor: Redactor }) {
    this.#clock = clock;
    this.#redactor = redactor;
  }

  /** Throws ExchangeError with `maybeExecuted: false`: without a token the vendor was not called. */
  async get(request: TokenRequest): Promise<string> {
    const key = keyOf(request);
    const cached = this.#tokens.get(key);
    const usable = cached !== undefined && this.#clock.now() < cached.expiresAt ? cached : this.#fetch(key, request);
    try {
      return await untilAborted(usable.token, request.signal);
    } catch (error) {
      if (error instanceof ExchangeError) throw error;
      throw new ExchangeError("time was up before an access token was there", {
        kind: "aborted",
        maybeExecuted: false,
      });
    }
  }

  /** After a 401: the next `get` fetches a new one, unless another caller already has. */
  async forget(request: TokenRequest, refused: string): Promise<void> {
    const key = keyOf(request);
    const cached = this.#tokens.get(key);
    if (cached !== undefined && (await cached.token.catch(() => refused)) === refused) this.#tokens.delete(key);
  }

  #fetch(key: string, request: TokenRequest): CachedToken {
    const entry: CachedToken = {
      expiresAt: Infinity,
      token: this.#request(request, (lifeMs) => {
        entry.expiresAt = this.#clock.now() + Math.max(0, lifeMs - RENEW_BEFORE_MS);
      }),
    };
    this.#tokens.set(key, entry);
    entry.token.catch(() => {
      if (this.#tokens.get(key) === entry) this.#tokens.delete(key);
    });
    return entry;
  }

  async #request(request: TokenRequest, onLife: (lifeMs: number) => void): Promise<string> {
    // Shared by all waiting callers, so no single caller's deadline ends it.
    const deadline = linkSignals([], TOKEN_TIMEOUT_MS);
    try {
      const exchange = await send(tokenCall(request), {
        dispatcher: request.connection.unrepeated,
        guard: request.connection.guard,
        signal: deadline.signal,
        maxResponseBytes: MAX_TOKEN_RESPONSE_BYTES,
        media: "json",
      });
      const token = readToken(exchange, request.auth.tokenUrl);
      this.#redactor.remember(token);
      const seconds = Number(readPath(exchange.body, ["expires_in"]));
      onLife(Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : DEFAULT_LIFE_MS);
      return token;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      const kind = error.kind === "aborted" ? "network" : error.kind;
      throw new ExchangeError(`no access token: ${error.message}`, { kind, maybeExecuted: false });
    } finally {
      deadline.release();
    }
  }
}

function keyOf({ provider, auth, scope }: TokenRequest): string {
  const { id, secret } = renderClient(auth, scope);
  return JSON.stringify([provider, auth.tokenUrl, auth.scope ?? "", id, secret]);
}

function tokenCall({ auth, scope }: TokenRequest) {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (auth.scope !== undefined) form.set("scope", auth.scope);
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-encoding": "identity",
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": "mkt",
  };
  const { id, secret } = renderClient(auth, scope);
  if (auth.style === "basic") {
    const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    form.set("client_id", id);
    form.set("client_secret", secret);
  }
  return { method: "POST" as const, url: new URL(auth.tokenUrl), headers, body: form.toString() };
}

/** Encodes the reserved characters of an id or a secret. RFC 6749, 2.3.1. */
function formEncoded(part: string): string {
  return new URLSearchParams([["", part]]).toString().slice("=".length);
}

function readToken(exchange: Exchange, tokenUrl: string): string {
  const token = readPath(exchange.body, ["access_token"]);
  if (isSuccess(exchange.status) && typeof token === "string" && token !== "") return token;
  const told =
    toMessage(readPath(exchange.body, ["error_description"])) ?? toMessage(readPath(exchange.body, ["error"]));
  const what = isSuccess(exchange.status) ? "an answer without access_token" : `status ${exchange.status}`;
  throw new ExchangeError(`${new URL(tokenUrl).host} gave ${what}${told === undefined ? "" : `: ${told}`}`, {
    kind: "unreadable",
    maybeExecuted: false,
  });
}
