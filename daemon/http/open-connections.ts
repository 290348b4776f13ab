import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./rate-limits.ts";

/*
 * The connections of one port, and the answers that are under way on each.
 *
 *   a connection is      while                                             it may be closed for another
 *   idle                 it has sent no request, or not all of one         the one that is idle longest first
 *   busy                 an answer is made for it or is on its way         never
 *
 * Requests that came without waiting for the answers before them are handled one after the other: what a client does not
 * read is at most one answer, and none is made for somebody who reads none.
 */

/** Answers that a connection may wait for. Clients that pipeline at all send a handful; browsers and agents send one. */
const MAX_PENDING = 16;
/** What is left to a client to take something of its answer in, while too much waits for all of them. */
const HURRIED_STALL_MS = 5_000;
/** How often the bytes that wait are added up: many times faster than they can be made. */
const SUM_MS = 250;
const LOG_EVERY_MS = 60_000;

export interface ConnectionLimits {
  /** Connections at once. */
  readonly maxConnections: number;
  /** Who takes nothing of an answer for so long has gone. Any progress counts, however small; 60 s is what nginx waits. */
  readonly maxStallMs: number;
  /** Bytes of answers that may wait for all clients together before no new answers are begun. */
  readonly maxUnreadBytes: number;
}

/** What holds unless something else is said. Twenty-five clients that take the largest outputs slowly fit in at once. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 4_096,
  maxStallMs: 60_000,
  maxUnreadBytes: 256 * 1_024 * 1_024,
};

export interface OpenConnectionsOptions {
  readonly limits: ConnectionLimits;
  /** At most once a minute: connections were closed or refused for want of room. */
  readonly onFull?: (facts: { readonly closedIdle: number; readonly refused: number }) => void;
  /** Tells a connection that it is refused, before it ends. */
  readonly refuse?: (socket: Socket) => void;
}

interface Source {
  connections: number;
  /** Idle longest first. */
  readonly idle: Set<Connection>;
}

interface Connection {
  readonly socket: Socket;
  readonly source: Source;
  /** Answers that are not out yet, in the order of their requests. */
  readonly pending: Set<ServerResponse>;
  /** What begins the answers whose turn has not come. */
  readonly waiting: (() => void)[];
  /** It has less time than usual to take something of its answer. */
  isHurried: boolean;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #bySource = new Map<string, Source>();
  /** Those with answers under way. */
  readonly #busy = new Set<Connection>();
  #unreadBytes = 0;
  #summing: NodeJS.Timeout | undefined;
  #full = { closedIdle: 0, refused: 0, toldAtMs: -Infinity };

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  /** Has every connection of the server go through here. */
  watch(server: Server): void {
    server.prependListener("connection", (socket: Socket) => this.#open(socket));
    server.on("timeout", (socket: Socket) => this.#onQuiet(socket));
  }

  /** Whether answers are to come on the connection. */
  hasPending(socket: Socket): boolean {
    return (this.#bySocket.get(socket)?.pending.size ?? 0) > 0;
  }

  /** So much waits for clients that do not read, that nobody gets a new answer. */
  get holdsTooMuch(): boolean {
    return this.#unreadBytes > this.#options.limits.maxUnreadBytes;
  }

  /** Calls `begin` when it is the request's turn: never, when the connection ends before, or waits for too many answers. */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const connection = this.#bySocket.get(request.socket);
    // What was read together with the request for which it was closed is parsed all the same.
    if (connection === undefined || request.socket.destroyed) return;
    const { socket, pending, waiting } = connection;
    if (pending.size >= MAX_PENDING) {
      socket.destroy();
      return;
    }
    pending.add(response);
    response.once("close", () => this.#next(connection, response));
    // Node ends this limit with the answer, and sets that of an idle connection.
    socket.setTimeout(this.#options.limits.maxStallMs);
    connection.isHurried = false;
    this.#setBusy(connection, request);
    if (pending.size === 1) begin();
    else waiting.push(begin);
  }

  #next(connection: Connection, done: ServerResponse): void {
    const { socket, pending, waiting } = connection;
    pending.delete(done);
    if (pending.size === 0) return this.#setIdle(connection);
    // After an answer that said "close" none may follow.
    if (socket.writable) waiting.shift()?.();
  }

  #open(socket: Socket): void {
    const { limits, refuse } = this.#options;
    const network = networkOf(socket.remoteAddress ?? "");
    const source = this.#bySource.get(network) ?? { connections: 0, idle: new Set() };
    if (this.#bySocket.size >= limits.maxConnections && !this.#makeRoomFor(source)) {
      this.#tell("refused");
      refuse?.(socket);
      socket.destroySoon();
      return;
    }
    const connection: Connection = { socket, source, pending: new Set(), waiting: [], isHurried: false };
    this.#bySocket.set(socket, connection);
    this.#bySource.set(network, source);
    source.connections += 1;
    source.idle.add(connection);
    socket.once("close", () => {
      this.#bySocket.delete(socket);
      this.#busy.delete(connection);
      source.idle.delete(connection);
      source.connections -= 1;
      if (source.connections === 0) this.#bySource.delete(network);
    });
  }

  /**
   * Closes the connection that is idle longest, of the source that has the most. A source gives way to none that has more:
   * nobody can take all of them, and a proxy through which everybody comes has them all as long as nobody else asks.
   */
  #makeRoomFor(newcomer: Source): boolean {
    let most: Source | undefined;
    for (const source of this.#bySource.values()) {
      if (source.idle.size > 0 && source.connections > (most?.connections ?? newcomer.connections)) most = source;
    }
    const [longest] = (most ?? newcomer).idle;
    if (longest === undefined) return false;
    this.#tell("closedIdle");
    // Its place is free from now on; it hears of its own end later.
    this.#bySocket.delete(longest.socket);
    longest.source.idle.delete(longest);
    longest.socket.destroy();
    return true;
  }

  #setBusy(connection: Connection, request: IncomingMessage): void {
    this.#busy.add(connection);
    this.#summing ??= setInterval(() => this.#sum(), SUM_MS).unref();
    const { source, socket } = connection;
    source.idle.delete(connection);
    if (request.complete || !hasBody(request)) return;
    // As long as its sender takes over the body, it is the sender who is waited for.
    source.idle.add(connection);
    request.once("end", () => {
      if (this.#bySocket.get(socket) === connection && connection.pending.size > 0) source.idle.delete(connection);
    });
  }

  #setIdle(connection: Connection): void {
    this.#busy.delete(connection);
    if (this.#bySocket.get(connection.socket) !== connection) return;
    connection.source.idle.delete(connection);
    connection.source.idle.add(connection);
  }

  /** Nothing came in and nothing went out for as long as was set for the socket; what went out in part counts. */
  #onQuiet(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    const isAtWork = connection !== undefined && connection.pending.size > 0 && socket.writableLength === 0;
    if (isAtWork) this.#setPatience(connection, connection.isHurried);
    // Idle for as long as an idle connection may be.
    else if (connection === undefined || connection.pending.size === 0) socket.destroy();
    // Its client reads nothing: what the system still holds for it goes too.
    else socket.resetAndDestroy();
  }

  /** Adds up what waits. Where it is too much, whoever reads nothing goes sooner. */
  #sum(): void {
    let sum = 0;
    for (const { socket } of this.#busy) sum += socket.writableLength;
    this.#unreadBytes = sum;
    const isHurried = this.holdsTooMuch;
    for (const connection of this.#busy)
      if (connection.isHurried !== isHurried) this.#setPatience(connection, isHurried);
    if (this.#busy.size > 0) return;
    clearInterval(this.#summing);
    this.#summing = undefined;
  }

  #setPatience(connection: Connection, isHurried: boolean): void {
    const { maxStallMs } = this.#options.limits;
    connection.isHurried = isHurried;
    connection.socket.setTimeout(isHurried ? Math.min(HURRIED_STALL_MS, maxStallMs) : maxStallMs);
  }

  #tell(what: "closedIdle" | "refused"): void {
    this.#full[what] += 1;
    const now = performance.now();
    if (now - this.#full.toldAtMs < LOG_EVERY_MS) return;
    const { closedIdle, refused } = this.#full;
    this.#full = { closedIdle: 0, refused: 0, toldAtMs: now };
    this.#options.onFull?.({ closedIdle, refused });
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
