import type { Dispatcher } from "undici";
import { decodeBody } from "../sending/decode-body.ts";
import { limited, UnreadableAnswerError } from "../sending/read-body.ts";
import { type Exchange, receive, sendAndRead, type SendOptions } from "../sending/send.ts";
import { readEvents } from "./event-stream.ts";
import { headerValue } from "./param-headers.ts";
import { MODERN_VERSION, readReply, type RpcNotification, type RpcReply, type RpcRequest } from "./protocol.ts";

/** The address of an MCP server, and the headers of every request to it, names in lower case. */
export interface McpServer {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a session adds to each request. */
export interface McpSession {
  /** Absent for servers without sessions. */
  readonly id?: string;
  readonly protocolVersion: string;
}

/** Whether the requests of a session say everything about themselves. */
export function isModern(session: McpSession | undefined): boolean {
  return session?.protocolVersion === MODERN_VERSION;
}

/** The outcome of a message: the reply, or, without a `reply`, an HTTP answer that is not a success. */
export interface RpcExchange {
  readonly exchange: Exchange;
  readonly reply?: RpcReply;
}

/**
 * Sends one message to an MCP server and reads the reply, which comes as JSON or as an event of a stream; the stream is
 * closed as soon as the reply is there. Everything else in it (progress, logs, requests of the server) is skipped.
 * Throws only ExchangeError.
 */
export async function exchangeRpc(
  server: McpServer,
  message: RpcRequest,
  options: SendOptions & { readonly session?: McpSession },
): Promise<RpcExchange> {
  return await sendAndRead(toRequest(server, message, options.session), options, async (request, response) => {
    const type = mediaTypeOf(response);
    const isSuccess = response.statusCode >= 200 && response.statusCode <= 299;
    if (isSuccess && type === "text/event-stream") return await readStream(response, message, options);
    const exchange = await receive(request, response, { ...options, media: "auto" });
    if (!isSuccess) return { exchange, ...refusedReply(exchange, message, options.session) };
    const reply = readReply(exchange.body, message.id);
    if (reply === undefined) throw new UnreadableAnswerError("the answer is not one of an MCP server");
    return { exchange, reply };
  });
}

/** Sends a notification to the server; its answer is ignored. Throws ExchangeError. */
export async function notifyRpc(
  server: McpServer,
  message: RpcNotification,
  options: SendOptions & { readonly session?: McpSession },
): Promise<void> {
  await sendAndRead(toRequest(server, message, options.session), options, async (_, { body }) => {
    await body.dump({ limit: 65_536, signal: AbortSignal.timeout(1_000) }).catch(() => {});
  });
}

/** Modern servers send errors of the protocol with these statuses. */
function refusedReply(
  { status, body }: Exchange,
  { id }: RpcRequest,
  session: McpSession | undefined,
): { reply?: RpcReply } {
  if (!isModern(session) || (status !== 400 && status !== 404)) return {};
  const reply = readReply(body, id);
  return reply === undefined ? {} : { reply };
}

function toRequest(server: McpServer, message: RpcRequest | RpcNotification, session: McpSession | undefined) {
  const headers: Record<string, string> = {
    ...server.headers,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(session !== undefined && { "mcp-protocol-version": session.protocolVersion }),
    ...(session?.id !== undefined && { "mcp-session-id": session.id }),
    ...(isModern(session) && mirrored(message)),
  };
  const body = JSON.stringify(isModern(session) ? withEnvelope(message) : message);
  return { method: "POST" as const, url: server.url, headers, body };
}

/** What intermediaries read in place of the body. Source: specification 2026-07-28, "Standard Request Headers". */
function mirrored({ method, params }: RpcRequest | RpcNotification): Record<string, string> {
  const name = params["name"];
  return { "mcp-method": method, ...(typeof name === "string" && { "mcp-name": headerValue(name) }) };
}

function withEnvelope(message: RpcRequest | RpcNotification): RpcRequest | RpcNotification {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "mkt", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { ...message, params: { ...message.params, _meta: envelope } };
}

async function readStream(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  message: RpcRequest,
  { maxResponseBytes }: SendOptions,
): Promise<RpcExchange> {
  // An unread body must not hold the socket, and its abort is not an error.
  body.on("error", () => {});
  try {
    if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
      throw new UnreadableAnswerError("the event stream is compressed, which was not asked for");
    }
    for await (const data of readEvents(limited(body, maxResponseBytes))) {
      const bytes = Buffer.from(data);
      const said = await decodeBody({ bytes, contentType: "application/json", media: "json", lenient: false });
      const { value, ...facts } = said;
      const reply = readReply(value, message.id);
      if (reply === undefined) continue;
      return { exchange: { status, headers, body: value, bytes: bytes.length, ...facts }, reply };
    }
  } finally {
    body.destroy();
  }
  throw new UnreadableAnswerError("the event stream ended without an answer");
}

function mediaTypeOf({ headers }: Dispatcher.ResponseData): string {
  const type = headers["content-type"];
  return (Array.isArray(type) ? type[0] : type)?.split(";")[0]?.trim().toLowerCase() ?? "";
}
