import { memberOf } from "../../shared/member-of.ts";
import { isDeepStrictEqual } from "node:util";
import type { RecordedAnswer } from "../manifest/manifest.ts";
import { checkEnvelope } from "./arrival/check-arrival.ts";
import { type ArrivalFacts, mergedBody } from "./arrival/expected-parts.ts";
import { jsonOf } from "./arrival/plain-json.ts";
import type { Arrival, WireAnswer } from "./arrival/stand-in.ts";
import { isRecord } from "../../shared/is-record.ts";

/** The parts of an MCP request that the stand-in simulates: over streamable HTTP, without sessions. */
export interface ToolMessage {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

export function toolMessageOf({ body }: Arrival): ToolMessage {
  const message = jsonOf(body.toString());
  return {
    id: memberOf(message, "id"),
    method: String(memberOf(message, "method") ?? ""),
    params: memberOf(message, "params"),
  };
}

/** The standard answer to a message that is not a tool call; undefined for a tool call. */
export function serverAnswer({ id, method, params }: ToolMessage): WireAnswer | undefined {
  if (method === "tools/call") return undefined;
  if (method !== "initialize") return { status: id === undefined ? 202 : 405, headers: {}, bytes: Buffer.alloc(0) };
  return rpcAnswer(id, {
    result: {
      protocolVersion: memberOf(params, "protocolVersion"),
      capabilities: { tools: {} },
      serverInfo: { name: "rehearsal", version: "1" },
    },
  });
}

/** Checks a tool call against the manifest. Returns what is wrong, in words. */
export function checkToolCall(arrival: Arrival, { params }: ToolMessage, facts: ArrivalFacts): string[] {
  const { entry, call, scope, callerInput } = facts;
  const wanted = mergedBody(callerInput?.body, call.body ?? {}, scope);
  const name = memberOf(params, "name");
  return [
    ...checkEnvelope(arrival, facts),
    ...(name === entry.request.tool ? [] : [`the tool is ${String(name)}; the manifest says ${entry.request.tool}`]),
    ...(isDeepStrictEqual(memberOf(params, "arguments"), wanted) ? [] : ["the tool's arguments are not the input's"]),
  ];
}

/**
 * Converts a recorded answer to the server's format: a 2xx is the result (an object as structured content, otherwise as
 * text), a 422 is the error of a failed tool, everything else is the HTTP answer itself.
 */
export function toToolWire({ id }: ToolMessage, { status, body }: RecordedAnswer): WireAnswer {
  if (status !== 422 && (status < 200 || status > 299)) {
    return { status, headers: JSON_TYPE, bytes: Buffer.from(JSON.stringify(body ?? {})) };
  }
  const words = status === 422 ? (memberOf(memberOf(body, "error"), "message") ?? body) : body;
  const text = typeof words === "string" ? words : JSON.stringify(words ?? null);
  const isStructured = status !== 422 && isRecord(body);
  const content = [{ type: "text", text }];
  return rpcAnswer(id, {
    result: { content, ...(isStructured && { structuredContent: body }), ...(status === 422 && { isError: true }) },
  });
}

const JSON_TYPE = { "content-type": "application/json" } as const;

function rpcAnswer(id: unknown, outcome: object): WireAnswer {
  return { status: 200, headers: JSON_TYPE, bytes: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...outcome })) };
}
