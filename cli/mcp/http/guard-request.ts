import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Why a request is not taken, as it is answered. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

/** Names by which a program on this machine calls it. A page of the web that was rebound to it brings another. */
const ownNames = ["127.0.0.1", "localhost"] as const;

/**
 * Whether a request may speak to the server on this port: its Host is this machine, its Origin, which only browsers send, is
 * this very address, and it has the token. In this order, so that who guesses at tokens through a browser learns nothing.
 * Pure.
 */
export function guardRequest(headers: IncomingHttpHeaders, own: { port: number; token: string }): Refusal | undefined {
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
