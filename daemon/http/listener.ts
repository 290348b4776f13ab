import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../shared/errors.ts";
import { NO_HIDDEN_HEADERS } from "../../shared/header-values.ts";
import { toErrorResponse } from "./error-response.ts";
import type { Logger } from "../base/logger.ts";
import type { InFlight } from "./in-flight.ts";
import { commonHeaders, sendError, sendStatus, toParserError, toRequestId, writeRawError } from "./raw-answer.ts";
import { DEFAULT_CONNECTION_LIMITS, type ConnectionLimits, OpenConnections } from "./open-connections.ts";
import type { SourceOf } from "./request-source.ts";
import { findFaultInHead, type HostList, isProbeByAnyName, originForm } from "./request-head.ts";

const MAX_HEAD_BYTES = 16 * 1024;
/** For a whole request to arrive: a client that drips must not hold a connection for ever. */
const REQUEST_TIMEOUT_MS = 60_000;
/** For its head, from the beginning of the connection on: who never sends one gets an end too. */
const HEAD_TIMEOUT_MS = 30_000;
/** Longer than the 60 s for which proxies keep a connection: one that is closed just as it is used is a 502 for somebody. */
const KEEP_ALIVE_MS = 65_000;
/** How often it is looked for requests that are out of time. */
const LOOK_EVERY_MS = 5_000;
/** When to ask again for whoever leaves too much unread. */
const UNREAD_RETRY_SECONDS = 5;

export interface ListenerOptions {
  readonly version: string;
  readonly hosts: () => HostList;
  readonly inFlight: InFlight;
  /** What a probe of any name is told at `/health`; without it there is no such route. */
  readonly status?: () => string;
  /** For whom a request is; the other end of its connection when absent. */
  readonly sourceOf?: SourceOf;
  /** Beside the usual ones. */
  readonly limits?: Partial<ConnectionLimits> | undefined;
  readonly logger: Pick<Logger, "warn">;
  readonly next: RequestListener;
}

const requestIds = new WeakMap<IncomingMessage, string>();

/** The id that the listener gave the request. */
export function requestIdOf(request: IncomingMessage): string {
  return requestIds.get(request) ?? toRequestId(undefined);
}

/**
 * The HTTP server under the router: gives each request its id and its answer the common headers, refuses heads that are not
 * for this service, and answers in JSON what the parser could not read.
 */
export function createListener(options: ListenerOptions): Server {
  const { version, hosts, inFlight, status, sourceOf, next, logger } = options;
  const limits = { ...DEFAULT_CONNECTION_LIMITS, ...options.limits };
  const connections = new OpenConnections({
    limits,
    sourceOf,
    refuse: (socket) => writeRawError(socket, tooManyConnections(), version),
    onFull: (facts) =>
      logger.warn(
        { ...facts, maxConnections: limits.maxConnections },
        "all connections are taken, or too much waits to be read",
      ),
  });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = toRequestId(request.headers["x-request-id"]);
    requestIds.set(request, requestId);
    for (const [name, value] of Object.entries(commonHeaders(requestId, version))) {
      response.setHeader(name, value);
    }
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
      // Node answers a missing Host itself, without a body; the check of the head does it better.
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
  // An expectation that is not understood may be passed over: the answer itself says what came of the request.
  server.on("checkExpectation", onRequest);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    writeRawError(socket, new ApiError("methodNotAllowed", "CONNECT is not a method of this service"), version);
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    // An answer that is still to come on this connection would be mixed up with this one.
    if (socket.writable && !connections.hasPending(socket)) {
      writeRawError(socket, toParserError(error), version);
    } else {
      socket.destroy();
    }
  });
  return server;
}

function tooManyConnections(): ApiError {
  return new ApiError("unavailable", "The service has as many connections at work as it takes; try again in a moment", {
    retryAfterSeconds: 1,
  });
}

function tooMuchUnread(): ApiError {
  return new ApiError("unavailable", "Too much of your answers waits to be read; read it, or try again in a moment", {
    retryAfterSeconds: UNREAD_RETRY_SECONDS,
  });
}
