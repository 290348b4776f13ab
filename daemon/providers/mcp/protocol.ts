/**
 * What we use of the Model Context Protocol: the client's half of its streamable HTTP transport, tools only, in both of its
 * eras. Source: modelcontextprotocol.io, specifications 2025-06-18 and 2026-07-28, "Transports", "Versioning" and "Tools".
 */

import { isRecord } from "../../../shared/is-record.ts";

/** The version without sessions: each request says everything about itself. */
export const MODERN_VERSION = "2026-07-28";

/** The version that we request where a session is opened. */
export const PROTOCOL_VERSION = "2025-06-18";

/** The versions that a server may answer with; tools and their calls are the same in all of them. */
export const KNOWN_VERSIONS: ReadonlySet<string> = new Set([
  "2024-11-05",
  "2025-03-26",
  PROTOCOL_VERSION,
  "2025-11-25",
]);

/** The error of a server that does not speak the version that was asked for. Source: there, "Versioning". */
export const UNSUPPORTED_VERSION = -32_022;

/** The error of a server that misses a header, or read something else in the body. Source: there, "Streamable HTTP". */
export const HEADER_MISMATCH = -32_020;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** A message without a reply. */
export type RpcNotification = Omit<RpcRequest, "id">;

/** The answer to a request. */
export type RpcReply =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** The reply in a message, if it is one to the request of that id; undefined for anything else. */
export function readReply(message: unknown, id: number): RpcReply | undefined {
  if (!isRecord(message) || message["id"] !== id || "method" in message) return undefined;
  const { result, error } = message;
  if (isRecord(result)) return { kind: "result", result };
  if (!isRecord(error)) return undefined;
  const { code, message: text, data } = error;
  return {
    kind: "error",
    code: typeof code === "number" ? code : 0,
    message: typeof text === "string" ? text : "The server refused without a word",
    ...(data !== undefined && { data }),
  };
}
