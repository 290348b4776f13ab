import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { findRepeated, hasTooManyHeaders, MAX_HEADERS } from "../../../shared/header-values.ts";

/** Why a request is refused, as it is answered. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 431;
  readonly message: string;
}

/** Headers whose second value Node ignores, or reads as part of the first. */
const singleHeaders = ["host", "origin", "authorization", "content-type", "mcp-session-id"] as const;

/** Names by which a program on this machine calls it. A web page after DNS rebinding sends another name. */
const ownNames = ["127.0.0.1", "localhost"] as const;

/**
 * Whether a request is admitted to the server on this port: its head can be read in one way only, its Host is this
 * machine, its Origin, which only browsers send, is this address, and it has the token. They are checked in this order,
 * so that an attacker who guesses tokens through a browser learns nothing. Pure.
 */
export function guardRequest(
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  own: { port: number; token: string },
): Refusal | undefined {
  if (hasTooManyHeaders(rawHeaders)) {
    return { status: 431, message: `A request has at most ${MAX_HEADERS} headers` };
  }
  const repeated = findRepeated(rawHeaders, singleHeaders);
  if (repeated !== undefined) return { status: 400, message: `The header ${repeated} must come once` };
  const hosts = ownNames.map((name) => `${name}:${own.port}`);
  if (!hosts.includes(headers.host?.toLowerCase() ?? "")) {
    return { status: 403, message: `The Host of a request must be one of ${hosts.join(", ")}` };
  }
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin.toLowerCase() === `http://${host}`)) {
    return { status: 403, message: "Pages of other origins may not speak to this server" };
  }
  if (!isToken(headers.authorization, own.token)) {
    return { status: 401, message: "Authorization must be Bearer and the token of this server" };
  }
  return undefined;
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
