import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import type { Dispatcher } from "undici";
import { NotExecutedError } from "./not-executed-error.ts";

/** RFC 9113, 7. */
const NO_ERROR = 0x0;
const REFUSED_STREAM = 0x7;
const CANCEL = 0x8;
const HTTP_1_1_REQUIRED = 0xd;
/** RFC 9110, 15.5.20: such a request may be repeated on another connection, whatever it does. */
const MISDIRECTED = 421;

const ERROR_NAMES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** What an exchange says of itself to its connection. */
export interface ExchangeEvents {
  /** Something was received. */
  readonly onHeard: () => void;
  readonly onEnd: (outcome: ExchangeEnd) => void;
}

/**
 * How an exchange ended. `refused` and `misdirected`: the provider did nothing. `cancelled`: by us. `broken` and
 * `needsHttp1`: it is unknown what the provider did.
 */
export type ExchangeEnd = "answered" | "refused" | "misdirected" | "cancelled" | "broken" | "needsHttp1";

/** The provider ends the connection. RFC 9113, 6.8. */
export interface GoAway {
  readonly code: number;
  /** The last stream that it has processed or may process yet. */
  readonly lastStreamId: number;
}

export interface Http2Call {
  readonly request: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  /** Whether calls were made on the connection before; passed on to the handler. */
  readonly isReused: boolean;
  /** Undefined until there was one. */
  readonly goAway: () => GoAway | undefined;
}

/** One request on an HTTP/2 connection, with its events as undici's handlers know them. */
export function exchangeOverHttp2(session: ClientHttp2Session, call: Http2Call, events: ExchangeEvents): void {
  const { request, handler, isReused } = call;
  const controller = new StreamController();
  handler.onRequestStart?.(controller, { isReused });
  if (controller.aborted) {
    handler.onResponseError?.(controller, controller.reason ?? new Error("aborted"));
    events.onEnd("cancelled");
    return;
  }
  let stream: ClientHttp2Stream;
  const body = request.body as string | Uint8Array | null | undefined;
  try {
    const isBodiless = body === undefined || body === null;
    stream = session.request(toHttp2Headers(request, isBodiless ? undefined : body), { endStream: isBodiless });
  } catch {
    // Nothing was sent: the connection was closing, or a header cannot be sent.
    handler.onResponseError?.(controller, new NotExecutedError("HTTP2_NOT_SENT"));
    events.onEnd("refused");
    return;
  }
  controller.stream = stream;
  new Http2Exchange(stream, controller, call, events).follow();
  if (body !== undefined && body !== null) stream.end(body);
}

/** Follows a stream to its end and passes its events on. */
class Http2Exchange {
  readonly #stream: ClientHttp2Stream;
  readonly #controller: StreamController;
  readonly #call: Http2Call;
  readonly #events: ExchangeEvents;
  #hasAnswered = false;
  #isMisdirected = false;
  #isEnded = false;
  /** Of the length that the answer has stated. */
  #missingBytes = 0;
  #failure: Error | undefined;

  constructor(stream: ClientHttp2Stream, controller: StreamController, call: Http2Call, events: ExchangeEvents) {
    this.#stream = stream;
    this.#controller = controller;
    this.#call = call;
    this.#events = events;
  }

  follow(): void {
    const stream = this.#stream;
    stream.on("headers", (headers) => this.#takeHead(headers));
    stream.on("response", (headers) => this.#takeAnswer(headers));
    stream.on("data", (chunk: Buffer) => this.#takeData(chunk));
    stream.on("end", () => {
      this.#isEnded = true;
      // An answer may be whole before the body was sent; nobody waits for the rest.
      if (!stream.closed && !stream.writableFinished) stream.close(NO_ERROR);
    });
    stream.on("error", (error: Error) => {
      this.#failure = error;
    });
    stream.on("close", () => this.#end());
  }

  #takeAnswer(headers: Head): void {
    if (headers[":status"] === MISDIRECTED && this.#call.isReused && !this.#hasAnswered) {
      this.#isMisdirected = true;
      this.#stream.close(CANCEL);
      return;
    }
    const length = Number(headers["content-length"]);
    if (this.#call.request.method !== "HEAD" && Number.isSafeInteger(length)) this.#missingBytes = length;
    this.#takeHead(headers);
  }

  #takeHead(headers: Head): void {
    this.#hasAnswered = true;
    this.#events.onHeard();
    const { handler } = this.#call;
    const status = headers[":status"] ?? 0;
    this.#tell(() => handler.onResponseStart?.(this.#controller, status, withoutPseudo(headers), ""));
  }

  #takeData(chunk: Buffer): void {
    this.#events.onHeard();
    if (this.#isMisdirected || this.#controller.aborted) return;
    this.#missingBytes -= chunk.length;
    this.#tell(() => this.#call.handler.onResponseData?.(this.#controller, chunk));
  }

  #end(): void {
    const { handler } = this.#call;
    const outcome = this.#outcome();
    this.#events.onEnd(outcome);
    if (outcome === "answered") {
      this.#tell(() => handler.onResponseEnd?.(this.#controller, {}));
      return;
    }
    const error = this.#controller.reason ?? this.#errorOf(outcome);
    this.#tell(() => handler.onResponseError?.(this.#controller, error));
  }

  #outcome(): ExchangeEnd {
    const { rstCode, id = 0 } = this.#stream;
    if (this.#isMisdirected) return "misdirected";
    const goAway = this.#call.goAway();
    // Streams that a GOAWAY breaks off get its code from Node: then it does not say that this one was refused.
    const isRefused = rstCode === REFUSED_STREAM && goAway?.code !== REFUSED_STREAM;
    // RFC 9113, 8.7: a refusal is believed only before anything of an answer came.
    if (!this.#hasAnswered && (isRefused || id > (goAway?.lastStreamId ?? Infinity))) return "refused";
    if (this.#controller.aborted) return "cancelled";
    // A reset without an error code also looks like an end.
    const isWhole = this.#hasAnswered && this.#isEnded && rstCode === NO_ERROR && this.#missingBytes <= 0;
    if (isWhole && this.#failure === undefined) return "answered";
    return rstCode === HTTP_1_1_REQUIRED ? "needsHttp1" : "broken";
  }

  #errorOf(outcome: ExchangeEnd): Error {
    if (outcome === "refused") return new NotExecutedError("HTTP2_REFUSED_STREAM");
    if (outcome === "misdirected") return new NotExecutedError("HTTP2_MISDIRECTED");
    return brokenBy(this.#stream, this.#failure);
  }

  /** What the handler throws ends the exchange. */
  #tell(event: () => void): void {
    try {
      event();
    } catch (error) {
      this.#controller.abort(error as Error);
    }
  }
}

type Head = IncomingHttpHeaders & { readonly ":status"?: number | undefined };

/** Says with which error of HTTP/2 a stream broke, as a code. */
function brokenBy({ rstCode }: ClientHttp2Stream, failure: Error | undefined): Error {
  const code = (failure as NodeJS.ErrnoException | undefined)?.code;
  if (code !== undefined && !code.startsWith("ERR_HTTP2_")) return failure as Error;
  const name = ERROR_NAMES[rstCode ?? 0] ?? `ERROR_${rstCode}`;
  return Object.assign(new Error("the exchange broke", { cause: failure }), { code: `HTTP2_${name}` });
}

class StreamController implements Dispatcher.DispatchController {
  stream: ClientHttp2Stream | undefined;
  #reason: Error | null = null;
  #isAborted = false;
  #isPaused = false;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  abort(reason: Error): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason ?? null;
    this.stream?.close(CANCEL);
    // Unread data would delay the end.
    this.stream?.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.stream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.stream?.resume();
  }
}

/** Headers that belong to a connection of HTTP/1.1. Source: RFC 9113, 8.2.2. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** No part of a value in HTTP/1.1, where they are left out in reading; forbidden in HTTP/2. Source: RFC 9113, 8.2.1. */
const AT_ENDS = /^[\t ]+|[\t ]+$/g;

function toHttp2Headers(
  { method, origin, path, headers }: Dispatcher.DispatchOptions,
  body: string | Uint8Array | undefined,
): OutgoingHttpHeaders {
  const { host, protocol } = new URL(String(origin));
  const sent: OutgoingHttpHeaders = {
    ":method": method,
    ":scheme": protocol.slice(0, -1),
    ":authority": host,
    ":path": path,
  };
  for (const [name, value] of Object.entries(headers as Readonly<Record<string, string>>)) {
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) sent[name.toLowerCase()] = value.replaceAll(AT_ENDS, "");
  }
  if (body !== undefined) sent["content-length"] = Buffer.byteLength(body);
  else if (method === "POST" || method === "PUT" || method === "PATCH") sent["content-length"] = 0;
  return sent;
}

function withoutPseudo(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
}
