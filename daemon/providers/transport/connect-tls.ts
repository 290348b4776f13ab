import { isIP, type LookupFunction } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { type buildConnector, errors } from "undici";
import type { TlsTickets } from "./tls-tickets.ts";

/** The protocols that a connection offers by ALPN, the preferred one first. */
export type Offer = readonly ("h2" | "http/1.1")[];

export interface TlsConnectorOptions {
  readonly timeout: number;
  readonly lookup?: LookupFunction;
  readonly offer: Offer;
  readonly tickets: TlsTickets;
  /** Certificate authorities instead of those of the process. */
  readonly ca?: string;
}

/** Connects with TLS, resuming a session where there is a ticket for one. Its socket says which protocol was chosen. */
export function buildTlsConnector({
  timeout,
  lookup,
  offer,
  tickets,
  ca,
}: TlsConnectorOptions): (...asked: Parameters<buildConnector.connector>) => TLSSocket {
  return ({ hostname, port }, callback) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const server = `${host}:${port === "" ? "443" : port}`;
    const session = tickets.take(server);
    const socket = connect({
      host,
      port: Number(port === "" ? 443 : port),
      servername: isIP(host) === 0 ? host : "",
      ALPNProtocols: [...offer],
      ...(session !== undefined && { session }),
      ...(lookup !== undefined && { lookup }),
      ...(ca !== undefined && { ca }),
    });
    let isTold = false;
    const tell = (error: Error | null) => {
      if (isTold) return;
      isTold = true;
      clearTimeout(timer);
      if (error === null) return callback(null, socket);
      // Some servers break off at a ticket that they do not know, instead of asking for a whole handshake.
      tickets.forget(server);
      callback(error, null);
    };
    const timer = setTimeout(() => {
      tell(new errors.ConnectTimeoutError(`no connection to ${server} within ${timeout} ms`));
      socket.destroy();
    }, timeout);
    socket.setNoDelay(true);
    socket.on("session", (ticket) => tickets.keep(server, ticket));
    socket.once("secureConnect", () => tell(null));
    socket.on("error", tell);
    socket.once("close", () => tell(new errors.SocketError("the connection was closed during the TLS handshake")));
    return socket;
  };
}
