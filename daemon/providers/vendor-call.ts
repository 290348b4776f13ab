import { setTimeout as sleep } from "node:timers/promises";
import { type Auth, type Call, MAX_RESPONSE_BYTES, type RateLimit, type RequestCall } from "../manifest/manifest.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { oncePer } from "../base/once-per.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { type BuiltRequest, buildRequest, type CallTarget, type LiteralQuery } from "./request/build-request.ts";
import { type AccountCall, type AccountTokens, NotConnectedError } from "./account-tokens.ts";
import type { AccessTokens, ClientCredentials, TokenRequest } from "./client-credentials.ts";
import type { Media } from "./sending/decode-body.ts";
import { judgeExchange, type Verdict } from "./answer/error-rules.ts";
import type { ExtractScope } from "../manifest/extract.ts";
import type { WorkspaceId } from "../base/ids.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { InputSections } from "../manifest/input-sections.ts";
import { callTool, listInSession } from "./mcp/call-tool.ts";
import { McpSessions } from "./mcp/sessions.ts";
import { createPacer, type Pacer } from "./pace/pacing.ts";
import type { ProviderHome, ProviderHomes } from "./provider-homes.ts";
import { type Attempt, NoAnswerError } from "./protocol/provider.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { BuiltBody } from "./request/request-body.ts";
import { RequestError } from "../manifest/request-error.ts";
import { type AttemptOutcome, isSurelyNotExecuted, isSurelyUntouched, retryDelayMs } from "./pace/retry.ts";
import { type Exchange, ExchangeError, send, type SendOptions } from "./sending/send.ts";
import { readHoldMs } from "./pace/rate-limit-headers.ts";
import { KeptWhileUsed } from "./transport/kept-while-used.ts";
import { type TemplateScope, UnresolvedReferenceError } from "../manifest/template.ts";

/** One call of a manifest, repeated as docs/manifest.md, "Repeats", allows. */
export interface VendorCall {
  readonly entry: CallTarget;
  readonly call: Call | RequestCall;
  readonly templates: TemplateScope;
  /** Whose account an endpoint with a login is called with. */
  readonly workspaceId?: WorkspaceId;
  /** The only account that may be used; absent: whichever is connected. */
  readonly account?: string;
  /** The facts that error rules may read beside the answer itself. */
  readonly facts: ExtractScope;
  readonly callerInput?: InputSections;
  readonly query?: LiteralQuery;
  /** The whole address of a further page, out of an answer. */
  readonly address?: string;
  /** The body, if it was built before. */
  readonly body?: BuiltBody;
  /** For an MCP server: it lists its tools, and none is called. */
  readonly lists?: true;
  readonly media: Media;
  /** Of CSV. */
  readonly delimiter?: string;
  /** The call may be repeated even if it was executed. */
  readonly repeatable: boolean;
  /** False for polls: the next poll is the retry. */
  readonly retries: boolean;
  /** Another endpoint can take over: what was certainly not executed is not repeated. */
  readonly hasAlternative?: true;
  /** For one exchange; the whole call has `signal`. */
  readonly exchangeTimeoutMs?: number;
  /** Milliseconds that the whole call may take, if known. */
  readonly totalMs?: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  /** Every attempt is added here when it ends. */
  readonly attempts: Attempt[];
}

export interface JudgedExchange {
  readonly exchange: Exchange;
  readonly verdict: Verdict;
  /** False: the provider did nothing at any attempt of the call. Absent: it may have. */
  readonly maybeExecuted?: boolean;
}

/** What was built for one attempt is reused for the next. */
type RequestFor = (home: ProviderHome, accessToken: string | undefined) => BuiltRequest;

/** An access token that the provider may refuse. */
interface RenewableToken {
  readonly token: string;
  /** Forgets it. False if the next one would be the same. */
  readonly forget: () => Promise<boolean>;
  /** The provider took it. */
  readonly worked?: () => void;
}

interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly renewable?: RenewableToken;
}

export interface VendorCallerParts {
  readonly homes: ProviderHomes;
  readonly tokens: AccessTokens;
  readonly accounts: AccountTokens;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Whether calls are made with access tokens, which have to be asked for first. */
const hasTokens = oncePer((auth: readonly Auth[]) => ({
  isSo: auth.some(({ type }) => type === "clientCredentials" || type === "oauth2"),
}));

/** A call asks for its rate limit several times. */
const paceName = oncePer(({ requests, perMs, concurrency, headers }: RateLimit) => ({
  name: JSON.stringify([requests, perMs, concurrency, headers?.remaining, headers?.reset]),
}));

/** More rate limits than the providers of one catalog have. */
const MOST_PACERS = 1_000;

/** Makes vendor calls: address, credentials, rate limit, attempts, records. */
export class VendorCaller {
  readonly #parts: VendorCallerParts;
  /** By provider and its rate limit; one that still counts starts, or holds, is kept. */
  readonly #pacers = new KeptWhileUsed<Pacer>({
    most: MOST_PACERS,
    isBusy: (pacer) => pacer.isBusy(),
    drop: () => {},
  });
  readonly #sessions = new McpSessions();

  constructor(parts: VendorCallerParts) {
    this.#parts = parts;
  }

  /**
   * Returns the last answer, judged. Throws NoAnswerError when there was none, ApiError `invalidInput` for a caller's
   * value that cannot be sent.
   */
  async make(call: VendorCall): Promise<JudgedExchange> {
    const requestFor = keepRequest(call);
    const { clock, random } = this.#parts;
    const policy = call.entry.http.retry;
    const begunAt = clock.now();
    let maybeExecuted = false;
    let isRefreshed = false;
    const timeLeftMs = () => (call.totalMs === undefined ? Infinity : call.totalMs - (clock.now() - begunAt));
    for (let attempt = 1; ; attempt++) {
      const { outcome, renewable } = await this.#attemptInTurn(call, requestFor, timeLeftMs());
      const isSurelyNot = isSurelyNotExecuted(outcome, { policy, nowMs: clock.now() });
      maybeExecuted ||= call.hasAlternative === true ? !isSurelyUntouched(outcome) : !isSurelyNot;
      if (outcome.kind === "answer" && outcome.exchange.status === 401 && renewable !== undefined && !isRefreshed) {
        isRefreshed = true;
        const isNew = await renewable.forget();
        const mayRepeat = call.repeatable || isSurelyNot || refusesToken(outcome.exchange);
        if (isNew && mayRepeat) {
          attempt--;
          continue;
        }
      }
      const isLeft = call.hasAlternative === true && !maybeExecuted;
      const delayMs =
        call.retries && !isLeft
          ? retryDelayMs(outcome, {
              policy,
              repeatable: call.repeatable,
              attempt,
              timeLeftMs: timeLeftMs(),
              nowMs: clock.now(),
              random: random(),
            })
          : undefined;
      const heldMs = this.#pacerOf(call.entry)?.heldMs() ?? 0;
      if (delayMs === undefined || heldMs >= timeLeftMs()) return finished(outcome, { call, maybeExecuted });
      await this.#pause(delayMs, call, maybeExecuted);
    }
  }

  /** Waits for the provider's rate limit; that wait is part of the run's time, not of the exchange's. */
  async #attemptInTurn(call: VendorCall, requestFor: RequestFor, timeLeftMs: number): Promise<Attempted> {
    const pacer = this.#pacerOf(call.entry);
    if (pacer === undefined) return await this.#attempt(call, requestFor);
    const heldMs = pacer.heldMs();
    if (heldMs >= timeLeftMs) {
      const why = `it reported that no calls remain for another ${Math.ceil(heldMs / 1_000)} s, longer than this call may take`;
      return { outcome: { kind: "failure", error: new ExchangeError(why, { kind: "refused", maybeExecuted: false }) } };
    }
    let leave: () => void;
    try {
      leave = await pacer.enter(call.signal);
    } catch (cause) {
      const why = "time was up while waiting for a turn within the provider's rate limit";
      return {
        outcome: { kind: "failure", error: new ExchangeError(why, { kind: "aborted", maybeExecuted: false, cause }) },
      };
    }
    try {
      const attempted = await this.#attempt(call, requestFor);
      this.#heed(attempted.outcome, call.entry, pacer);
      return attempted;
    } finally {
      leave();
    }
  }

  /** Applies the provider's statement of remaining calls before the next call in the queue gets its slot. */
  #heed(outcome: AttemptOutcome, { http: { rateLimit, retry } }: CallTarget, pacer: Pacer): void {
    if (outcome.kind === "failure" || rateLimit === undefined) return;
    const facts = { after: retry.after, nowMs: this.#parts.clock.now() };
    // A rule of the file may detect a rate limit that the status does not show.
    const status = outcome.verdict.httpStatus === 429 ? 429 : outcome.exchange.status;
    const holdMs = readHoldMs({ status, headers: outcome.exchange.headers }, rateLimit, facts);
    if (holdMs !== undefined) pacer.hold(holdMs);
  }

  /** Asked for at each attempt, since one may be dropped between two. Absent: the provider's file sets no rate limit. */
  #pacerOf({ provider, http: { rateLimit } }: CallTarget): Pacer | undefined {
    if (rateLimit === undefined) return undefined;
    const { name } = paceName(rateLimit);
    return this.#pacers.get(`${provider.provider} ${name}`, () => createPacer(rateLimit));
  }

  async #attempt(call: VendorCall, requestFor: RequestFor): Promise<Attempted> {
    const { clock, redactor } = this.#parts;
    const at = isoNow(clock);
    // Monotonic, since the clock may be set meanwhile.
    const begunMs = performance.now();
    const note = (facts: Pick<Attempt, "httpStatus" | "error">) =>
      call.attempts.push({ at, durationMs: Math.round(performance.now() - begunMs), ...facts });
    const deadline = linkSignals([call.signal], call.exchangeTimeoutMs);
    try {
      const { exchange, renewable } = await this.#exchange(call, requestFor, deadline.signal);
      note({ httpStatus: exchange.status });
      const verdict = judgeExchange(call.facts, exchange, call.entry.errors);
      if (exchange.status < 300) renewable?.worked?.();
      const outcome = { kind: "answer", exchange, verdict } as const;
      return renewable === undefined ? { outcome } : { outcome, renewable };
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw this.#unbuilt(error, call);
      const isOwnTimeout = error.kind === "aborted" && !call.signal.aborted;
      const failure =
        error instanceof NotConnectedError
          ? error
          : new ExchangeError(
              redactor.text(isOwnTimeout ? `${error.message} (${call.exchangeTimeoutMs} ms)` : error.message),
              {
                kind: isOwnTimeout ? "network" : error.kind,
                maybeExecuted: error.maybeExecuted,
                isTooLarge: error.isTooLarge,
              },
            );
      note({ error: failure.message });
      return { outcome: { kind: "failure", error: failure } };
    } finally {
      deadline.release();
    }
  }

  async #exchange(
    call: VendorCall,
    requestFor: RequestFor,
    signal: AbortSignal,
  ): Promise<{ exchange: Exchange; renewable?: RenewableToken }> {
    const { entry } = call;
    const found = this.#parts.homes.of(entry);
    const home = found instanceof Promise ? await found : found;
    const needsToken = home.builtinToken === undefined && hasTokens(entry.http.auth).isSo;
    const renewable = needsToken ? await this.#tokenFor(call, home, signal) : undefined;
    const request = requestFor(home, renewable?.token ?? home.builtinToken);
    const options: SendOptions = {
      dispatcher: call.repeatable ? home.connection.kept : home.connection.unrepeated,
      guard: home.connection.guard,
      signal,
      // Runs that began under an older file may have a higher limit.
      maxResponseBytes: Math.min(call.maxResponseBytes, MAX_RESPONSE_BYTES),
      media: call.media,
      ...(call.delimiter !== undefined && { delimiter: call.delimiter }),
    };
    const tool = "tool" in call.call ? call.call.tool : undefined;
    const provider = entry.provider.provider;
    const exchange =
      tool === undefined
        ? await send(request, options)
        : call.lists === true
          ? await listInSession({ provider, request }, this.#sessions, options)
          : await callTool({ provider, tool, request }, this.#sessions, options);
    const addressed = { ...exchange, address: request.url.origin + request.url.pathname };
    return renewable === undefined ? { exchange: addressed } : { exchange: addressed, renewable };
  }

  async #tokenFor(
    { entry: { provider, http }, templates, workspaceId, account }: VendorCall,
    { connection }: ProviderHome,
    signal: AbortSignal,
  ): Promise<RenewableToken | undefined> {
    const { tokens, accounts } = this.#parts;
    const login = findLogin(http.auth);
    if (login !== undefined) {
      const { baseUrl, allowPrivateNetwork } = http;
      const { secrets } = templates;
      const asked: AccountCall = {
        workspaceId,
        ...(account !== undefined && { account }),
        provider,
        auth: login,
        baseUrl,
        allowPrivateNetwork,
        secrets,
        signal,
      };
      const token = await accounts.get(asked);
      return {
        token,
        forget: async () => accounts.refuse(asked, token),
        worked: () => accounts.worked(asked, token),
      };
    }
    const client = http.auth.find((auth): auth is ClientCredentials => auth.type === "clientCredentials");
    if (client === undefined) return undefined;
    const asked: TokenRequest = { provider: provider.provider, auth: client, scope: templates, connection, signal };
    const token = await tokens.get(asked);
    const forget = async () => {
      await tokens.forget(asked, token);
      return true;
    };
    return { token, forget };
  }

  async #pause(delayMs: number, call: VendorCall, maybeExecuted: boolean): Promise<void> {
    try {
      await sleep(delayMs, undefined, { signal: call.signal });
    } catch {
      throw new NoAnswerError("Time was up while waiting to call the provider again", {
        source: "mkt",
        maybeExecuted,
        attempts: call.attempts,
        cause: call.signal.reason,
      });
    }
  }

  /** A request that could not be built was never sent; other errors are passed on. */
  #unbuilt(error: unknown, { attempts }: VendorCall): unknown {
    if (!(error instanceof RequestError) && !(error instanceof UnresolvedReferenceError)) return error;
    const message = `The provider was not called: ${this.#parts.redactor.text(error.message)}`;
    return new NoAnswerError(message, { source: "mkt", maybeExecuted: attempts.length > 0, attempts });
  }
}

/** Builds the request of a call on first use, and again only for another token or address. */
function keepRequest({ entry, call, templates, callerInput, query, address, body }: VendorCall): RequestFor {
  let kept:
    | { readonly baseUrl: string; readonly token: string | undefined; readonly request: BuiltRequest }
    | undefined;
  return ({ baseUrl, builtinToken }, token) => {
    if (kept?.baseUrl !== baseUrl || kept.token !== token) {
      const request = buildRequest({
        entry,
        call,
        baseUrl,
        scope: templates,
        builtin: builtinToken !== undefined,
        ...(callerInput !== undefined && { callerInput }),
        ...(query !== undefined && { query }),
        ...(address !== undefined && { address }),
        ...(token !== undefined && { accessToken: token }),
        ...(body !== undefined && { body }),
      });
      kept = { baseUrl, token, request };
    }
    return kept.request;
  };
}

/** It says that it was the token, for which the standard has the request sent again. RFC 6750, 3.1. */
function refusesToken({ headers }: Exchange): boolean {
  const challenge = headers["www-authenticate"];
  return [challenge ?? []].flat().some((text) => /(?:^|,)\s*bearer\s[^]*\berror\s*=\s*"?invalid_token\b/i.test(text));
}

function finished(
  outcome: AttemptOutcome,
  { call, maybeExecuted }: { call: VendorCall; maybeExecuted: boolean },
): JudgedExchange {
  if (outcome.kind === "answer") return { exchange: outcome.exchange, verdict: outcome.verdict, maybeExecuted };
  const { error } = outcome;
  const source = error.kind === "network" ? "network" : error.kind === "unreadable" ? "provider" : "mkt";
  throw new NoAnswerError(`No answer from ${call.entry.provider.provider}: ${error.message}`, {
    source,
    maybeExecuted,
    attempts: call.attempts,
    isTooLarge: "isTooLarge" in error && error.isTooLarge,
    ...(error instanceof NotConnectedError && { setup: { errorCode: "NOT_CONNECTED", next: error.next } }),
    ...(call.signal.aborted && { cause: call.signal.reason as unknown }),
  });
}
