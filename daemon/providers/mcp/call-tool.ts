import type { BuiltRequest } from "../request/build-request.ts";
import { type Exchange, ExchangeError, type SendOptions } from "../sending/send.ts";
import { UnreadableAnswerError } from "../sending/read-body.ts";
import type { JsonAnswer } from "../sending/json-answer.ts";
import { listTools, MAX_LIST_BYTES } from "./list-tools.ts";
import { isRefusedEra, lossOf } from "./lost-session.ts";
import { type JsonObject, type RpcReply } from "./protocol.ts";
import { exchangeRpc, isModern, type McpServer, type McpSession, notifyRpc, type RpcExchange } from "./rpc-exchange.ts";
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
 * Calls a tool of an MCP server and returns the reply as an HTTP exchange. A tool is called again, once, only after a
 * refusal that a server gives before it looks at the tool: it does not know the session, or speaks the other era.
 * Throws only ExchangeError.
 */
export async function callTool(call: ToolCall, sessions: McpSessions, options: SendOptions): Promise<Exchange> {
  const server = serverOf(call);
  const asked = await inSession(call, sessions, options, async (session) => {
    return await ask(call, server, { ...options, session });
  });
  return await toExchange(asked, server);
}

/**
 * The tools of the server that a call would go to, as the body of the exchange; without them the exchange is its refusal.
 * Calls no tool. Throws ExchangeError and ToolListTooLong.
 */
export async function listInSession(
  call: Omit<ToolCall, "tool">,
  sessions: McpSessions,
  options: SendOptions,
): Promise<Exchange> {
  const server = serverOf(call);
  let tools: readonly JsonObject[] | undefined;
  const { exchange } = await inSession(call, sessions, options, async (session) => {
    const listing = await listTools(server, { ...options, session, maxResponseBytes: MAX_LIST_BYTES });
    if (listing.kind === "refused") return listing;
    ({ tools } = listing);
    return LISTED;
  });
  return tools === undefined ? { ...exchange, body: undefined } : { ...LISTED.exchange, body: { tools } };
}

const LISTED: RpcExchange = { exchange: { status: 200, headers: {}, body: undefined, bytes: 0 } };

function serverOf({ request }: Pick<ToolCall, "request">): McpServer {
  return { url: request.url, headers: request.headers };
}

async function inSession(
  call: Omit<ToolCall, "tool">,
  sessions: McpSessions,
  options: SendOptions,
  work: (session: McpSession) => Promise<RpcExchange>,
): Promise<RpcExchange> {
  const server = serverOf(call);
  const key = sessionKey(call.provider, server);
  for (let isSecond = false; ; isSecond = true) {
    const opened = await sessions.get(key, server, options);
    if (opened.kind === "refused") return opened;
    const { session } = opened;
    const asked = await work(session);
    const loss = lossOf(asked, session);
    if (loss === undefined) return asked;
    await sessions.forget(key, session);
    if (loss === "likely") return asked;
    // A refusal of the other era has executed nothing, and comes once: the era is found out anew.
    if (isSecond || (opened.isNew && !isRefusedEra(asked))) return asked;
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
    // In the modern era a closed connection says it.
    const isHeard = !isModern(options.session) && error instanceof ExchangeError && error.maybeExecuted;
    if (isHeard) void cancel(id, server, options);
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
