import { isRecord } from "../../../shared/is-record.ts";
import { UNSUPPORTED_VERSION } from "./protocol.ts";
import { isModern, type McpSession, type RpcExchange } from "./rpc-exchange.ts";

/**
 * Whether the server knows nothing of the session, or of the era. `certain`: the transport refused before any tool ran, so
 * that the call may be sent again. `likely`: its words read so, but a tool that ran might have said them; the next call
 * begins a session of its own, and this one has its answer.
 *
 *   404 that is empty or a refusal of the transport       certain: the specification's status for an unknown session
 *   400 in the transport's form and words                 certain
 *   the error of the other era                            certain
 *   any other 404 in a session, any other 400 of sessions likely
 */
export function lossOf(asked: RpcExchange, session: McpSession): "certain" | "likely" | undefined {
  const { exchange, reply } = asked;
  const { status, body } = exchange;
  if (isRefusedEra(asked)) return "certain";
  if (reply !== undefined || (session.id === undefined && !isModern(session))) return undefined;
  if (status === 404 && session.id !== undefined) {
    return isEmpty(body) || TRANSPORT_WORDS.test(transportRefusal(body) ?? "") ? "certain" : "likely";
  }
  if (status !== 400) return undefined;
  if (TRANSPORT_WORDS.test(transportRefusal(body) ?? "")) return "certain";
  return REFUSAL_WORDS.test(JSON.stringify(body ?? null)) ? "likely" : undefined;
}

/**
 * What the transports of the SDKs for TypeScript and Python say to a request without a session, with one that they do not
 * know, or of a version that they do not speak. They say it before the message reaches a tool.
 */
const TRANSPORT_WORDS =
  /^(?:(?:bad request|not found): )?(?:server not initialized|mcp-session-id header is required|missing session id|no valid session id provided|invalid session id|invalid or expired session id|session not found|session has been terminated|unsupported protocol version: .*)$/is;

/** What servers of the earlier era say to a request without their session, or, where they have none, of another version. */
const REFUSAL_WORDS = /session|initializ|unsupported protocol version/i;

/**
 * The words of an error that answers no request: our ids are numbers, and a transport that refuses says null, or a text of
 * its own. A tool's answer has the id of its call.
 */
function transportRefusal(body: unknown): string | undefined {
  if (!isRecord(body) || body["jsonrpc"] !== "2.0" || typeof body["id"] === "number") return undefined;
  const { error } = body;
  return isRecord(error) && typeof error["message"] === "string" ? error["message"] : undefined;
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || body === "";
}

/** Source: specification 2026-07-28, "Versioning": an error that names the versions that the server does support. */
export function isRefusedEra(asked: RpcExchange): boolean {
  return isRefusedWith(asked, UNSUPPORTED_VERSION);
}

/** A server that refuses a message before anything handles it says so by the status; a tool's own error has status 200. */
export function isRefusedWith({ exchange, reply }: RpcExchange, code: number): boolean {
  const { body } = exchange;
  const isRpc = isRecord(body) && body["jsonrpc"] === "2.0";
  const error = reply?.kind === "error" ? reply : isRpc && isRecord(body["error"]) ? body["error"] : undefined;
  return exchange.status === 400 && error?.code === code;
}
