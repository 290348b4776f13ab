import type { lookup as dnsLookup } from "node:dns";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { ApiError } from "../../shared/errors.ts";
import { parseWait } from "../providers/pace/retry.ts";
import { AddressRefusedError, createAddressGuard, namesHost } from "../providers/sending/address-guard.ts";
import { ExchangeError, sendAndRead } from "../providers/sending/send.ts";
import { ConnectingSockets } from "../providers/transport/connecting-sockets.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;
/** What is read of an answer's body, so that its connection can be used again; nothing of it is kept. */
const MAX_ANSWER_BYTES = 16_384;
/** A body that takes longer costs its connection. */
const BODY_TIMEOUT_MS = 1_000;

export interface ReceiverOptions {
  /** `host` or `host:port`, from the operator's own setting; empty for those who may not use it. */
  readonly privateHosts: ReadonlySet<string>;
  /** For public hosts; the system's own when absent. */
  readonly lookup?: typeof dnsLookup;
}

export interface Post {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** How a receiver took a message. */
export interface Receipt {
  /** Absent when there was no answer. */
  readonly status?: number;
  /** Absent when it was delivered. */
  readonly error?: string;
  readonly retryAfterMs?: number;
}

/** The connections to one receiver, through the guard of provider calls. docs/security.md, T5. */
export interface Receiver {
  /** Never rejects. */
  post(post: Post): Promise<Receipt>;
  close(): Promise<void>;
}

/**
 * Throws 400 for an address that may not receive: one without TLS, with a name or password in it, or a private one that the
 * operator has not opened. Names are looked up when they are called.
 */
export function checkReceiverAddress(address: string, options: ReceiverOptions): URL {
  if (!URL.canParse(address))
    throw new ApiError("invalidInput", "url: must be an address such as https://example.com/hook");
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") {
    throw new ApiError("invalidInput", "url: must have no name and no password; messages are signed instead");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ApiError("invalidInput", `url: must begin with https:// (got ${url.protocol})`);
  }
  url.hash = "";
  try {
    guardOf(options).check(url);
  } catch (error) {
    if (error instanceof AddressRefusedError)
      throw new ApiError("invalidInput", `url: ${error.message}`, { cause: error });
    throw error;
  }
  return url;
}

export function openReceiver(options: ReceiverOptions): Receiver {
  const guard = guardOf(options);
  const connecting = new ConnectingSockets();
  const connect = guard.connectBy((how) => connecting.track(buildConnector(how)));
  const agent = new Agent({ connect, keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 });
  return {
    post: async (post) => await postTo(agent, guard, post),
    close: async () => await connecting.endWith(agent),
  };
}

function guardOf({ privateHosts, lookup }: ReceiverOptions) {
  return createAddressGuard({
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    isAskedFor: true,
    isOpened: (hostname, port) => namesHost(privateHosts, hostname, port),
    ...(lookup !== undefined && { lookup }),
  });
}

async function postTo(
  dispatcher: Dispatcher,
  guard: ReturnType<typeof guardOf>,
  { url, headers, body, signal, nowMs }: Post,
): Promise<Receipt> {
  const limits = { signal, maxResponseBytes: MAX_ANSWER_BYTES, media: "text" } as const;
  try {
    const request = { method: "POST", url, headers, body } as const;
    return await sendAndRead(request, { dispatcher, guard, ...limits }, async (_, answer) => {
      const receipt = receiptOf(answer, nowMs);
      await leaveUnread(answer.body);
      return receipt;
    });
  } catch (error) {
    if (error instanceof ExchangeError) return { error: error.message };
    throw error;
  }
}

function receiptOf({ statusCode: status, headers }: Dispatcher.ResponseData, nowMs: number): Receipt {
  if (status >= 200 && status < 300) return { status };
  const header = headers["retry-after"];
  const text = Array.isArray(header) ? header[0] : header;
  const retryAfterMs = text === undefined ? undefined : parseWait("retry-after", text, nowMs);
  return { status, error: words(status), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function words(status: number): string {
  if (status === 410) return "it answered 410 (gone), so the webhook was disabled";
  if (status >= 300 && status < 400) return `it redirected (${status}), which is not followed`;
  return `it answered ${status}`;
}

/** The status is known: whatever the body does, the delivery does not wait for it longer than a moment. */
async function leaveUnread(body: Dispatcher.ResponseData["body"]): Promise<void> {
  body.on("error", () => {});
  const timeUp = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS);
  try {
    await body.dump({ limit: MAX_ANSWER_BYTES });
  } catch {
    body.destroy();
  } finally {
    clearTimeout(timeUp);
  }
}
