import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../shared/errors.ts";
import { NO_HIDDEN_HEADERS } from "../../shared/header-values.ts";
import { toErrorResponse } from "./error-response.ts";
import type { InFlight } from "./in-flight.ts";
import { commonHeaders, sendError, sendStatus, toParserError, toRequestId, writeRawError } from "./raw-answer.ts";
import { findFaultInHead, type HostList, isProbeByAnyName, originForm } from "./request-head.ts";

const MAX_HEAD_BYTES = 16 * 1024;
/** For a whole request to arrive: a client that drips must not hold a connection for ever. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface ListenerOptions {
  readonly version: string;
  readonly hosts: () => HostList;
  readonly inFlight: InFlight;
  /** What a probe of any name is told at `/health`; without it there is no such route. */
  readonly status?: () => string;
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
export function createListener({ version, hosts, inFlight, status, next }: ListenerOptions): Server {
  const pending = new PendingAnswers();
  // Node answers a missing Host itself, without a body; the check of the head does it better.
  const options = { maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false, requestTimeout: REQUEST_TIMEOUT_MS };

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const requestId = toRequestId(request.headers["x-request-id"]);
    requestIds.set(request, requestId);
    for (const [name, value] of Object.entries(commonHeaders(requestId, version))) {
      response.setHeader(name, value);
    }
    pending.add(request.socket, response);
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
    next(request, response);
  };

  const server = createServer(options, onRequest);
  server.maxHeadersCount = NO_HIDDEN_HEADERS;
  // An expectation that is not understood may be passed over: the answer itself says what came of the request.
  server.on("checkExpectation", onRequest);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    writeRawError(socket, new ApiError("methodNotAllowed", "CONNECT is not a method of this service"), version);
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    // An answer that is still to come on this connection would be mixed up with this one.
    if (socket.writable && !pending.has(socket)) {
      writeRawError(socket, toParserError(error), version);
    } else {
      socket.destroy();
    }
  });
  return server;
}

/** Answers that are not out yet, by their connection; several when requests were sent without waiting. */
class PendingAnswers {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  readonly #watched = new WeakSet<Socket>();

  has(socket: Socket): boolean {
    return this.#bySocket.has(socket);
  }

  add(socket: Socket, response: ServerResponse): void {
    const pending = this.#bySocket.get(socket) ?? this.#track(socket);
    pending.add(response);
    response.once("close", () => {
      pending.delete(response);
      if (pending.size === 0) {
        this.#bySocket.delete(socket);
      }
    });
  }

  #track(socket: Socket): Set<ServerResponse> {
    const pending = new Set<ServerResponse>();
    this.#bySocket.set(socket, pending);
    if (!this.#watched.has(socket)) {
      this.#watched.add(socket);
      // Node does not close an answer whose turn on the connection never came: whoever waits for it would wait for ever.
      socket.once("close", () =>
        setImmediate(() => this.#bySocket.get(socket)?.forEach((response) => response.emit("close"))),
      );
    }
    return pending;
  }
}
