/**
 * What we say of the Model Context Protocol: the client's half of its streamable HTTP transport, tools alone. Source:
 * modelcontextprotocol.io, specification 2025-06-18, "Transports" and "Tools".
 */

import { isRecord } from "../../../shared/is-record.ts";

/** What we ask for. */
export const PROTOCOL_VERSION = "2025-06-18";

/** What a server may answer; what tools are and how they are called is the same in all of them. */
export const KNOWN_VERSIONS: ReadonlySet<string> = new Set([
  "2024-11-05",
  "2025-03-26",
  PROTOCOL_VERSION,
  "2025-11-25",
]);

export type JsonObject = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** What nobody answers. */
export type RpcNotification = Omit<RpcRequest, "id">;

/** The answer to a request. */
export type RpcReply =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** The answer in a message, when it is one to the request of that id; anything else that a server says is undefined. */
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
