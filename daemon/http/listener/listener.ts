import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../../shared/errors.ts";
import { NO_HIDDEN_HEADERS } from "../../../shared/header-values.ts";
import { toErrorResponse } from "../answers/error-response.ts";
import type { Logger } from "../../base/logger.ts";
import type { InFlight } from "./in-flight.ts";
import {
  isRequestId,
  sendError,
  sendStatus,
  setCommonHeaders,
  toParserError,
  writeRawError,
} from "../answers/raw-answer.ts";
import { createIdSource } from "../../base/new-id.ts";
import { DEFAULT_CONNECTION_LIMITS, type ConnectionLimits, OpenConnections } from "./open-connections.ts";
import type { SourceOf } from "../callers/request-source.ts";
import { findFaultInHead, type HostList, isProbeByAnyName, originForm } from "./request-head.ts";

const MAX_HEAD_BYTES = 16 * 1024;
/** Time for a whole request to arrive: a slow client must not hold a connection forever. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Time for its head, from the start of the connection, so that a client that never sends one is closed too. */
const HEAD_TIMEOUT_MS = 30_000;
/**
 * Longer than the 60 s for which proxies keep a connection: one that is closed just as it is used gives a client a 502.
 */
const KEEP_ALIVE_MS = 65_000;
/** How often requests are checked for a timeout. */
const LOOK_EVERY_MS = 5_000;
/** Retry-After for clients that leave too much unread. */
const UNREAD_RETRY_SECONDS = 5;

export interface ListenerOptions {
  readonly version: string;
  readonly hosts: () => HostList;
  readonly inFlight: InFlight;
  /** The status that `/health` gives to a probe with any host name; if absent, there is no such route. */
  readonly status?: () => string;
  /** Whom a request comes from; absent: the other end of its connection. */
  readonly sourceOf?: SourceOf;
  /** Override the defaults. */
  readonly limits?: Partial<ConnectionLimits> | undefined;
  readonly logger: Pick<Logger, "warn">;
  readonly next: RequestListener;
}

/** The id of a request that came through the listener, which writes it into the head: the caller's own, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  return String(headers["x-request-id"]);
}

/**
 * The HTTP server under the router. It gives each request an id and each answer the common headers, refuses requests
 * whose head is not for this service, and answers requests that the parser could not read with a JSON error.
 */
export function createListener(options: ListenerOptions): Server {
  const { version, hosts, inFlight, status, sourceOf, next, logger } = options;
  const limits = { ...DEFAULT_CONNECTION_LIMITS, ...options.limits };
  const newId = createIdSource();
  const refuseSocket = (socket: Socket, error: ApiError) =>
    writeRawError(socket, error, { requestId: newId(), version });
  const connections = new OpenConnections({
    limits,
    sourceOf,
    refuse: (socket) => refuseSocket(socket, tooManyConnections()),
    onFull: (facts) =>
      logger.warn(
        { ...facts, maxConnections: limits.maxConnections },
        "all connections are taken, or too much waits to be read",
      ),
  });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { headers } = request;
    const told = headers["x-request-id"];
    const requestId = isRequestId(told) ? told : newId();
    headers["x-request-id"] = requestId;
    setCommonHeaders(response, requestId, version);
    response.once("close", inFlight.begin());

    const head = { method: request.method ?? "", url: request.url ?? "/", rawHeaders: request.rawHeaders };
    if (status !== undefined && isProbeByAnyName(head, hosts())) {
      sendStatus(response, status());
      return;
    }
    const fault = findFaultInHead(head, hosts());
    if (fault !== undefined) {
      sendError(response, toErrorResponse(fault, requestId));
      return;
    }
    request.url = originForm(head.url);
    if (connections.leavesTooMuchUnread(request) && !/^\/health(?:\?|$)/.test(request.url)) {
      sendError(response, toErrorResponse(tooMuchUnread(), requestId));
      return;
    }
    next(request, response);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    connections.take(request, response, () => answer(request, response));
  };

  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      // Node would answer a missing Host without a body; our check of the head gives a proper error.
      requireHostHeader: false,
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
    },
    onRequest,
  );
  connections.watch(server);
  server.maxHeadersCount = NO_HIDDEN_HEADERS;
  // An unknown expectation may be ignored: the answer itself tells the result of the request.
  server.on("checkExpectation", onRequest);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    refuseSocket(socket, new ApiError("methodNotAllowed", "CONNECT is not a method of this service"));
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    // Otherwise an answer still to come on this connection would be mixed up with this one.
    if (socket.writable && !connections.hasPending(socket)) {
      refuseSocket(socket, toParserError(error));
    } else {
      socket.destroy();
    }
  });
  return server;
}

function tooManyConnections(): ApiError {
  return new ApiError(
    "unavailable",
    "The service has reached its maximum number of active connections; try again in a moment",
    {
      retryAfterSeconds: 1,
    },
  );
}

function tooMuchUnread(): ApiError {
  return new ApiError(
    "unavailable",
    "Too many bytes of your answers are still unread; read them, or try again in a moment",
    {
      retryAfterSeconds: UNREAD_RETRY_SECONDS,
    },
  );
}
