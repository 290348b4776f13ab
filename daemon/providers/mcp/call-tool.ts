import type { BuiltRequest } from "../request/build-request.ts";
import { type Exchange, ExchangeError, type SendOptions } from "../sending/send.ts";
import { UnreadableAnswerError } from "../sending/read-body.ts";
import type { JsonAnswer } from "../sending/json-answer.ts";
import type { JsonObject, RpcReply } from "./protocol.ts";
import { exchangeRpc, type McpServer, type McpSession, notifyRpc, type RpcExchange } from "./rpc-exchange.ts";
import { type McpSessions, sessionKey } from "./sessions.ts";
import { toToolAnswer } from "./tool-answer.ts";

export interface ToolCall {
  readonly provider: string;
  readonly tool: string;
  /** The request as the manifest makes it: the server's address, credentials in headers, the arguments as JSON body. */
  readonly request: BuiltRequest;
}

/** Longer than a server needs to accept a message, but short enough not to delay anybody. */
const CANCEL_TIMEOUT_MS = 2_000;

/** Numbers requests, so that a cancelled one differs from the next; 0 is for opening sessions. */
let lastId = 0;

/**
 * Calls a tool of an MCP server and returns the reply as an HTTP exchange. A session that the server has forgotten is
 * opened again, once. Throws only ExchangeError.
 */
export async function callTool(call: ToolCall, sessions: McpSessions, options: SendOptions): Promise<Exchange> {
  const server: McpServer = { url: call.request.url, headers: call.request.headers };
  const key = sessionKey(call.provider, server);
  for (let isSecond = false; ; isSecond = true) {
    const opened = await sessions.get(key, server, options);
    if (opened.kind === "refused") return await toExchange(opened, server);
    const { session } = opened;
    const asked = await ask(call, server, { ...options, session });
    if (!isForgotten(asked, session)) return await toExchange(asked, server);
    await sessions.forget(key, session);
    if (isSecond || opened.isNew) return await toExchange(asked, server);
  }
}

async function ask(
  { tool, request }: ToolCall,
  server: McpServer,
  options: SendOptions & { readonly session: McpSession },
): Promise<RpcExchange> {
  lastId += 1;
  const id = lastId;
  const params = { name: tool, arguments: argumentsOf(request) };
  try {
    return await exchangeRpc(server, { jsonrpc: "2.0", id, method: "tools/call", params }, options);
  } catch (error) {
    if (error instanceof ExchangeError && error.maybeExecuted) void cancel(id, server, options);
    throw error;
  }
}

/** Tells the server that the request was cancelled; does not wait, and ignores failures. */
async function cancel(
  requestId: number,
  server: McpServer,
  options: SendOptions & { readonly session: McpSession },
): Promise<void> {
  const params = { requestId, reason: "the caller gave up" };
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  await notifyRpc(server, { jsonrpc: "2.0", method: "notifications/cancelled", params }, { ...options, signal }).catch(
    () => {},
  );
}

function argumentsOf({ body }: BuiltRequest): JsonObject {
  return typeof body === "string" ? (JSON.parse(body) as JsonObject) : {};
}

/** 404 is the specification's status for an unknown session; many servers send 400. */
function isForgotten({ exchange, reply }: RpcExchange, { id }: McpSession): boolean {
  if (id === undefined || reply !== undefined) return false;
  return exchange.status === 404 || (exchange.status === 400 && /session/i.test(JSON.stringify(exchange.body)));
}

async function toExchange(
  { exchange, reply }: { exchange: Exchange; reply?: RpcReply },
  server: McpServer,
): Promise<Exchange> {
  if (reply === undefined) return exchange;
  try {
    const { status, body, texts } = await toToolAnswer(reply);
    return { ...exchange, status, body, ...joinedFacts(exchange, texts) };
  } catch (error) {
    if (!(error instanceof UnreadableAnswerError)) throw error;
    throw new ExchangeError(`${server.url.host}: ${error.message}`, { kind: "unreadable", maybeExecuted: true });
  }
}

/** The facts of the message itself and of the JSON in its texts. */
function joinedFacts(exchange: Exchange, texts: readonly JsonAnswer[]): Partial<Exchange> {
  const all = [exchange, ...texts];
  const asText = all.flatMap(({ numbersAsText = [] }) => [...numbersAsText]);
  return {
    values: all.reduce((sum, { values = 0 }) => sum + values, 0),
    notes: all.flatMap(({ notes = [] }) => notes),
    ...(asText.length > 0 && { numbersAsText: new Set(asText) }),
  };
}
