import { createHash } from "node:crypto";
import { isRecord } from "../../../shared/is-record.ts";
import { UnreadableAnswerError } from "../sending/read-body.ts";
import { type Exchange, ExchangeError, send, type SendOptions, untilAborted } from "../sending/send.ts";
import type { ParamHeader } from "./param-headers.ts";
import {
  type JsonObject,
  KNOWN_VERSIONS,
  MODERN_VERSION,
  PROTOCOL_VERSION,
  type RpcReply,
  UNSUPPORTED_VERSION,
} from "./protocol.ts";
import { exchangeRpc, isModern, type McpServer, type McpSession, notifyRpc } from "./rpc-exchange.ts";

/** A session, or the server's refusal to open one. */
export type Opened =
  | {
      readonly kind: "session";
      readonly session: McpSession;
      /** The server's description of itself, unchecked. */
      readonly facts: JsonObject;
    }
  | Refused;

export interface Refused {
  readonly kind: "refused";
  readonly exchange: Exchange;
  readonly reply?: RpcReply;
}

/** What is known of a server before it is asked. */
export type Era = "legacy" | "modern";

/**
 * Finds out which era of the protocol a server speaks, and opens a session where that era has them. The expected era is
 * asked for first; the other one only if the server understood the request and refused it. What says nothing about an era
 * (401, 403, 5xx, a time-out) is the answer. Throws ExchangeError; no tool is called here, so `maybeExecuted` is always
 * false.
 */
export async function openSession(server: McpServer, options: SendOptions, expected: Era = "legacy"): Promise<Opened> {
  const ask = { legacy: initialize, modern: discover } as const;
  try {
    const first = await ask[expected](server, options);
    if (first.kind === "session" || !isOtherEra(first)) return first;
    const second = await ask[expected === "legacy" ? "modern" : "legacy"](server, options).catch(notUnderstood);
    // One that understood the other way, and still lets nobody in, says more by that.
    return second === undefined || (second.kind === "refused" && isOtherEra(second)) ? first : second;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const { message, kind, cause } = error;
    throw new ExchangeError(message, { kind, maybeExecuted: false, cause });
  }
}

/** The statuses with which servers refuse a method, or a request without a session, that they do not know. */
const UNKNOWN_METHOD: ReadonlySet<number> = new Set([400, 404, 405, 406, 415]);

function isOtherEra({ exchange, reply }: Refused): boolean {
  return UNKNOWN_METHOD.has(exchange.status) || reply?.kind === "error";
}

/** An answer of something else is none; the first refusal says more. */
function notUnderstood(error: unknown): undefined {
  if (!(error instanceof ExchangeError) || error.kind !== "unreadable") throw error;
}

async function discover(server: McpServer, options: SendOptions): Promise<Opened> {
  const session = { protocolVersion: MODERN_VERSION };
  const message = { jsonrpc: "2.0" as const, id: 0, method: "server/discover", params: {} };
  const { exchange, reply } = await exchangeRpc(server, message, { ...options, session });
  if (reply?.kind !== "result") return { kind: "refused", exchange, ...(reply !== undefined && { reply }) };
  const versions = reply.result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION)) {
    // A refusal, though its status is 200: otherwise the list of versions would be the output of a paid run.
    const why = `The server does not speak version ${MODERN_VERSION} of the protocol`;
    return { kind: "refused", exchange, reply: { kind: "error", code: UNSUPPORTED_VERSION, message: why } };
  }
  const meta = reply.result["_meta"];
  const serverInfo = isRecord(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined;
  return { kind: "session", session, facts: { ...reply.result, serverInfo } };
}

async function initialize(server: McpServer, options: SendOptions): Promise<Opened> {
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "mkt", title: "mkt", version: "1" },
  };
  const message = { jsonrpc: "2.0" as const, id: 0, method: "initialize", params };
  const { exchange, reply } = await exchangeRpc(server, message, options);
  if (reply?.kind !== "result") return { kind: "refused", exchange, ...(reply !== undefined && { reply }) };
  const protocolVersion = reply.result["protocolVersion"];
  if (typeof protocolVersion !== "string" || !KNOWN_VERSIONS.has(protocolVersion)) {
    const named = JSON.stringify(protocolVersion ?? null).slice(0, 40);
    throw unusable(server, `the server speaks version ${named} of the protocol, which is not known`);
  }
  const id = exchange.headers["mcp-session-id"];
  // Visible ASCII, as the specification requires; nothing else may go into a header.
  if (id !== undefined && (typeof id !== "string" || !/^[!-~]{1,1024}$/.test(id))) {
    throw unusable(server, "the server names a session that no header can carry");
  }
  const session = { protocolVersion, ...(id !== undefined && { id }) };
  await notifyRpc(server, { jsonrpc: "2.0", method: "notifications/initialized", params: {} }, { ...options, session });
  return { kind: "session", session, facts: reply.result };
}

/** Longer than a server needs to end a session, but short enough not to delay anybody. */
const GOODBYE_TIMEOUT_MS = 1_000;

/** Tells the server that a session has ended; its answer does not matter. */
export async function endSession(server: McpServer, session: McpSession, options: SendOptions): Promise<void> {
  const { id, protocolVersion } = session;
  if (id === undefined) return;
  const headers = { ...server.headers, "mcp-session-id": id, "mcp-protocol-version": protocolVersion };
  const signal = AbortSignal.timeout(GOODBYE_TIMEOUT_MS);
  await send({ method: "DELETE", url: server.url, headers }, { ...options, signal }).catch(() => {});
}

function unusable(server: McpServer, why: string): ExchangeError {
  const { message } = new UnreadableAnswerError(why);
  return new ExchangeError(`${server.url.host}: ${message}`, { kind: "unreadable", maybeExecuted: false });
}

/** More servers, or callers' credentials, than one daemon uses at a time. */
const MAX_SESSIONS = 1_000;

/** A server that was found modern is taken for one for this long; one that changed is noticed before, by its refusal. */
const ERA_MS = 60 * 60 * 1_000;

/** Sessions by provider, address and credentials, opened once for all concurrent calls. */
export class McpSessions {
  readonly #open = new Map<string, Promise<Opened>>();
  /** Origins that were found modern, and until when that counts, in milliseconds of the process. */
  readonly #modernUntil = new Map<string, number>();
  /** By tool, the arguments that the server of a session wants in headers; known once its tools were listed. */
  readonly paramHeaders = new WeakMap<McpSession, ReadonlyMap<string, readonly ParamHeader[]>>();

  /** A session for these calls: an open one, otherwise a new one. Throws ExchangeError. */
  async get(key: string, server: McpServer, options: SendOptions): Promise<Opened & { readonly isNew: boolean }> {
    for (;;) {
      const opening = this.#open.get(key);
      if (opening === undefined) return { ...(await this.#begin(key, server, options)), isNew: true };
      try {
        return { ...(await untilAborted(opening, options.signal)), isNew: false };
      } catch (error) {
        // The call that began it was cancelled or refused; that says nothing about this call, which tries itself.
        if (options.signal.aborted) throw error;
        if (this.#open.get(key) === opening) this.#open.delete(key);
      }
    }
  }

  /** Forgets a session that its server no longer knows. */
  async forget(key: string, session: McpSession): Promise<void> {
    const opening = this.#open.get(key);
    const opened = await opening?.catch(() => undefined);
    if (opened?.kind === "session" && opened.session === session && this.#open.get(key) === opening) {
      this.#open.delete(key);
    }
  }

  #eraOf(origin: string): Era {
    return (this.#modernUntil.get(origin) ?? 0) > performance.now() ? "modern" : "legacy";
  }

  #noteEra(origin: string, session: McpSession): void {
    this.#modernUntil.delete(origin);
    if (!isModern(session)) return;
    this.#modernUntil.set(origin, performance.now() + ERA_MS);
    const [oldest] = this.#modernUntil.keys();
    if (this.#modernUntil.size > MAX_SESSIONS && oldest !== undefined) this.#modernUntil.delete(oldest);
  }

  async #begin(key: string, server: McpServer, options: SendOptions): Promise<Opened> {
    const { origin } = server.url;
    const opening = openSession(server, options, this.#eraOf(origin));
    this.#open.set(key, opening);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_SESSIONS && oldest !== undefined) this.#open.delete(oldest);
    let isOpen = false;
    try {
      const opened = await opening;
      isOpen = opened.kind === "session";
      if (opened.kind === "session") this.#noteEra(origin, opened.session);
      return opened;
    } finally {
      if (!isOpen && this.#open.get(key) === opening) this.#open.delete(key);
    }
  }
}

/** Names of headers that change from call to call for the same caller. */
const PASSING_HEADERS: ReadonlySet<string> = new Set(["content-type", "accept", "accept-encoding", "user-agent"]);

/** Two calls share a session only when the same provider calls the same address with the same credentials. */
export function sessionKey(provider: string, { url, headers }: McpServer): string {
  const told = Object.entries(headers)
    .filter(([name]) => !PASSING_HEADERS.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([provider, url.href, told]))
    .digest("hex");
}
