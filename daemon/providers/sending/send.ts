import { Readable } from "node:stream";
import { type Dispatcher, request as undiciRequest } from "undici";
import { type AddressGuard, AddressRefusedError } from "./address-guard.ts";
import type { BuiltRequest } from "../request/build-request.ts";
import { decodeBody, type Media } from "./decode-body.ts";
import type { JsonLimits } from "./json-answer.ts";
import { NotExecutedError } from "../transport/not-executed-error.ts";
import { overLimit, readBody, TooLargeError, UnreadableAnswerError } from "./read-body.ts";
import { hasNoBody, MAX_INFORMATIONAL_ANSWERS, single, tooManyInformational, WholeAnswer } from "./whole-answer.ts";

/** A complete answer, decoded. */
export interface Exchange {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  /** Bytes of the decoded body. */
  readonly bytes: number;
  /** What was called, without its query; a relative link in the answer begins there. */
  readonly address?: string;
  /** The number of values in it, as JSON counts them. */
  readonly values?: number;
  /** Notes on the body, for people; they may contain secrets. */
  readonly notes?: readonly string[];
  /** Numbers of the answer that JavaScript would change: in the body they are texts, digit for digit. */
  readonly numbersAsText?: ReadonlySet<string>;
}

/** Why one exchange gave no readable answer. `network` may be retried, `unreadable` and `refused` never. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly kind: "network" | "unreadable" | "refused" | "aborted";
  /** False only if not a single byte of the request was sent, or the provider said that it processed none. */
  readonly maybeExecuted: boolean;
  /** The answer was larger than the exchange allowed. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    facts: { kind: ExchangeError["kind"]; maybeExecuted: boolean; isTooLarge?: boolean; cause?: unknown },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.maybeExecuted = facts.maybeExecuted;
    this.isTooLarge = facts.isTooLarge === true;
  }
}

export interface SendOptions {
  readonly dispatcher: Dispatcher;
  readonly guard: Pick<AddressGuard, "check">;
  /**
   * The deadline of the whole exchange, from the first byte sent to the last byte received; a slow body cannot exceed
   * it.
   */
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
  readonly media: Media;
  /** Of CSV. */
  readonly delimiter?: string;
  /** For a JSON body; absent: the limits of any answer. */
  readonly json?: JsonLimits;
}

/**
 * One HTTP exchange. Redirects are answers, never followed (docs/manifest.md, "Origins"). Throws only ExchangeError.
 */
export async function send(request: BuiltRequest, options: SendOptions): Promise<Exchange> {
  return await orOnceMore(options.signal, () => exchangeOnce(request, options));
}

/** The same, with a custom reader of the answer; what `read` throws becomes an ExchangeError too. */
export async function sendAndRead<Answer>(
  request: BuiltRequest,
  options: SendOptions,
  read: (request: BuiltRequest, response: Dispatcher.ResponseData, options: SendOptions) => Promise<Answer>,
): Promise<Answer> {
  return await orOnceMore(options.signal, () => sendOnce(request, options, read));
}

async function orOnceMore<Answer>(signal: AbortSignal, exchange: () => Promise<Answer>): Promise<Answer> {
  try {
    return await exchange();
  } catch (error) {
    // RFC 9113, 8.7: surely not executed; once, so that a provider that refuses everything is not pressed.
    if (!(error instanceof ExchangeError && error.cause instanceof NotExecutedError)) throw error;
    if (signal.aborted) throw error;
    return await exchange();
  }
}

async function exchangeOnce(request: BuiltRequest, options: SendOptions): Promise<Exchange> {
  const { dispatcher, guard, signal, maxResponseBytes: maxBytes } = options;
  const answer = new WholeAnswer(request, { dispatcher, signal, maxBytes });
  try {
    guard.check(request.url);
    const bytes = await answer.receive(request);
    const { status, headers } = answer;
    const encoding = answer.isBodiless ? undefined : joined(headers["content-encoding"]);
    const decoded = encoding === undefined ? bytes : await readBody(Readable.from([bytes]), { encoding, maxBytes });
    return await toExchange({ status, headers, bytes: decoded }, options);
  } catch (error) {
    throw toExchangeError(error, { host: request.url.host, sent: answer.isSent, signal });
  }
}

async function sendOnce<Answer>(
  request: BuiltRequest,
  options: SendOptions,
  read: (request: BuiltRequest, response: Dispatcher.ResponseData, options: SendOptions) => Promise<Answer>,
): Promise<Answer> {
  let sent = false;
  try {
    options.guard.check(request.url);
    const sending = undiciRequest(request.url, {
      method: request.method,
      headers: { ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      dispatcher: options.dispatcher.compose(
        markSending(() => {
          sent ||= !options.signal.aborted;
        }),
      ),
      signal: options.signal,
      onInfo: refuseFloodOfInfo(),
      // The signal is the only deadline; these would only limit silence, which a slow body can avoid.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return await read(request, await untilAborted(sending, options.signal), options);
  } catch (error) {
    throw toExchangeError(error, { host: request.url.host, sent, signal: options.signal });
  }
}

/**
 * Reports when a request is about to be written to its connection: until then the provider certainly has not received
 * it, however the call fails (DNS, refused, TLS, our own guard, a deadline while connecting).
 */
function markSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      options,
      new Proxy(handler, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          if (name !== "onRequestStart" && name !== "onConnect") return member.bind(target) as unknown;
          return (...args: unknown[]) => {
            onSending();
            return Reflect.apply(member, target, args) as unknown;
          };
        },
      }),
    );
}

/** Throwing ends the exchange and its connection. */
function refuseFloodOfInfo(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INFORMATIONAL_ANSWERS) throw tooManyInformational();
  };
}

/** The client library notices an abort only once it is connected; a deadline must not wait for that. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (giveUp !== undefined) signal.removeEventListener("abort", giveUp);
    work.catch(() => {});
  }
}

/** The whole answer. Throws UnreadableAnswerError; connection errors are passed on. */
export async function receive(
  request: BuiltRequest,
  response: Dispatcher.ResponseData,
  options: SendOptions,
): Promise<Exchange> {
  const { statusCode: status, headers, body } = response;
  const { maxResponseBytes: maxBytes } = options;
  const isBodiless = hasNoBody(request.method, status);
  try {
    if (!isBodiless && Number(single(headers["content-length"]) ?? 0) > maxBytes) throw overLimit(maxBytes);
    const encoding = isBodiless ? undefined : joined(headers["content-encoding"]);
    const bytes = await readBody(body, { encoding, maxBytes });
    return await toExchange({ status, headers, bytes }, options);
  } catch (error) {
    // An unread body must not hold the socket; the error is already being reported.
    body.on("error", () => {});
    body.destroy();
    throw error;
  }
}

/** An answer of which nothing is encoded any more. */
async function toExchange(
  { status, headers, bytes }: Pick<Exchange, "status" | "headers"> & { readonly bytes: Buffer },
  { media, delimiter, json }: SendOptions,
): Promise<Exchange> {
  const { value, ...facts } = await decodeBody({
    bytes,
    contentType: single(headers["content-type"]),
    media,
    lenient: status < 200 || status > 299,
    disposition: single(headers["content-disposition"]),
    ...(delimiter !== undefined && { delimiter }),
    ...(json && { limits: json }),
  });
  return { status, headers, body: value, bytes: bytes.length, ...facts };
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(",") : value;
}

function toExchangeError(
  error: unknown,
  { host, sent, signal }: { host: string; sent: boolean; signal: AbortSignal },
): ExchangeError {
  if (error instanceof UnreadableAnswerError) {
    const isTooLarge = error instanceof TooLargeError;
    return new ExchangeError(`${host}: ${error.message}`, { kind: "unreadable", maybeExecuted: true, isTooLarge });
  }
  if (error instanceof AddressRefusedError) {
    return new ExchangeError(error.message, { kind: "refused", maybeExecuted: false });
  }
  if (error instanceof NotExecutedError) {
    const message = `${host}: the provider refused the connection's next request before it processed it (${error.code})`;
    return new ExchangeError(message, { kind: "network", maybeExecuted: false, cause: error });
  }
  if (signal.aborted) {
    const message = sent ? `${host} had not answered when time was up` : `time was up before ${host} could be reached`;
    return new ExchangeError(message, { kind: "aborted", maybeExecuted: sent, cause: signal.reason });
  }
  // The original error contains the request with its credentials, so only its code is used. docs/security.md, T17.
  return new ExchangeError(explain(error, host, sent), { kind: "network", maybeExecuted: sent });
}

/** A connection error in words, with nothing of the request but its host. */
function explain(error: unknown, host: string, sent: boolean): string {
  const code = codeOf(error);
  const known = WORDS[code];
  if (known !== undefined) return `${host}: ${known}`;
  if (/^(ERR_TLS|CERT_|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    return `${host}: the TLS handshake failed (${code})`;
  }
  if (/^HPE_|^UND_ERR_.*(HEADERS|CONTENT_LENGTH|PARSER)/.test(code))
    return `${host}: the answer is not valid HTTP (${code})`;
  const what = sent ? "the connection broke before the whole answer was read" : "no connection could be made";
  return `${host}: ${what}${code === "" ? "" : ` (${code})`}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the name was not found in DNS",
  EAI_AGAIN: "the name could not be looked up in DNS just now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "no connection within the time allowed",
  ETIMEDOUT: "the connection timed out",
};

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : "";
}
