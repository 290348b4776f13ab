import { isDeepStrictEqual } from "node:util";
import type { BuiltRequest } from "../request/build-request.ts";
import { type Exchange, ExchangeError, type SendOptions } from "../sending/send.ts";
import { UnreadableAnswerError } from "../sending/read-body.ts";
import type { JsonAnswer } from "../sending/json-answer.ts";
import { listTools, MAX_LIST_BYTES, ToolListTooLong } from "./list-tools.ts";
import { isRefusedEra, isRefusedWith, lossOf } from "./lost-session.ts";
import { paramHeadersOf, renderParamHeaders } from "./param-headers.ts";
import { HEADER_MISMATCH, type JsonObject, type RpcReply } from "./protocol.ts";
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
 * refusal that a server gives before it looks at the tool: it does not know the session, speaks the other era, or misses
 * headers. Throws only ExchangeError.
 */
export async function callTool(call: ToolCall, sessions: McpSessions, options: SendOptions): Promise<Exchange> {
  const server = serverOf(call);
  const asked = await inSession(call, sessions, options, async (session) => {
    return await askWithHeaders(call, server, { ...options, session, sessions });
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
    noteParamHeaders(tools, session, sessions);
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

/**
 * Asks with the headers that the server is known to want. Which those are is learned from its refusal: its list of tools
 * says it, and a server that wants none is not asked for its list.
 */
async function askWithHeaders(
  call: ToolCall,
  server: McpServer,
  { sessions, ...options }: SendOptions & { readonly session: McpSession; readonly sessions: McpSessions },
): Promise<RpcExchange> {
  const { session } = options;
  const wanted = (): Record<string, string> => {
    const declared = sessions.paramHeaders.get(session)?.get(call.tool) ?? [];
    return renderParamHeaders(declared, argumentsOf(call.request));
  };
  const sent = wanted();
  const asked = await ask(call, withHeaders(server, sent), options);
  if (!isModern(session) || !isRefusedWith(asked, HEADER_MISMATCH)) return asked;
  const tools = await toolsOf(server, options);
  noteParamHeaders(tools, session, sessions);
  const missed = wanted();
  return isDeepStrictEqual(missed, sent) ? asked : await ask(call, withHeaders(server, missed), options);
}

function noteParamHeaders(tools: readonly JsonObject[], session: McpSession, sessions: McpSessions): void {
  const declared = tools.map(({ name, inputSchema }) => [String(name), paramHeadersOf(inputSchema)] as const);
  sessions.paramHeaders.set(session, new Map(declared.filter(([, headers]) => headers.length > 0)));
}

function withHeaders(server: McpServer, headers: Readonly<Record<string, string>>): McpServer {
  return { ...server, headers: { ...server.headers, ...headers } };
}

/** The server's tools, or none when it does not list them: its refusal of the call then says more. */
async function toolsOf(
  server: McpServer,
  options: SendOptions & { readonly session: McpSession },
): Promise<readonly JsonObject[]> {
  try {
    const listing = await listTools(server, { ...options, maxResponseBytes: MAX_LIST_BYTES });
    return listing.kind === "tools" ? listing.tools : [];
  } catch (error) {
    if (error instanceof ExchangeError || error instanceof ToolListTooLong) return [];
    throw error;
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
