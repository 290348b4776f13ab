import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./rate-limits.ts";
import type { SourceOf } from "./request-source.ts";

/*
 * The connections of one port, and the answers that are under way on each.
 *
 *   a connection is      while                                             it may be closed for another
 *   idle                 it has sent no request, or not all of one         the one that is idle longest first
 *   unread               its client takes its time over an answer          of an address with more, where none is idle
 *   at work              an answer is made for it                          never
 *
 * Requests that came without waiting for the answers before them are handled one after the other: what a client does not
 * read is at most one answer, and none is made for somebody who reads none.
 */

/** Answers that a connection may wait for. Clients that pipeline at all send a handful; browsers and agents send one. */
const MAX_PENDING = 16;
/** What is left to a client to take its answer in, while too much waits for all and more for its address than its part. */
const HURRIED_MS = 5_000;
/** Who has not taken an answer for so long may be closed for a client of another address. Most take it at once. */
const UNREAD_MS = 1_000;
/** How often the bytes that wait are added up: many times faster than they can be made. */
const SUM_MS = 250;
const LOG_EVERY_MS = 60_000;

export interface ConnectionLimits {
  /** Connections at once. */
  readonly maxConnections: number;
  /** Who takes nothing of an answer for so long has gone. Any progress counts, however small; 60 s is what nginx waits. */
  readonly maxStallMs: number;
  /** Bytes of answers that may wait for all clients together before none has more than its part. */
  readonly maxUnreadBytes: number;
}

/** What holds unless something else is said. Twenty-five clients that take the largest outputs slowly fit in at once. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 4_096,
  maxStallMs: 60_000,
  maxUnreadBytes: 256 * 1_024 * 1_024,
};

/** How many connections, since it was told last. */
export interface FullFacts {
  readonly closedIdle: number;
  readonly closedUnread: number;
  readonly refused: number;
}

const NOTHING_FULL: FullFacts = { closedIdle: 0, closedUnread: 0, refused: 0 };

export interface OpenConnectionsOptions {
  readonly limits: ConnectionLimits;
  /** At most once a minute: connections were closed or refused for want of room. */
  readonly onFull?: (facts: FullFacts) => void;
  /** Tells a connection that it is refused, before it ends. */
  readonly refuse?: (socket: Socket) => void;
  /** For whom a request is, where proxies say it; else the other end of its connection. */
  readonly sourceOf?: SourceOf | undefined;
}

interface Source {
  connections: number;
  /** Idle longest first. */
  readonly idle: Set<Connection>;
  /** Those with answers under way, busy longest first. */
  readonly busy: Set<Connection>;
}

interface Connection {
  readonly socket: Socket;
  readonly source: Source;
  /** Answers that are not out yet, in the order of their requests. */
  readonly pending: Set<ServerResponse>;
  /** What begins the answers whose turn has not come. */
  readonly waiting: (() => void)[];
  /** The network for whose request the last answer is. */
  reader: string;
  /** Since when there has been something of its answers that its client did not take. */
  unreadSinceMs: number | undefined;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #bySource = new Map<string, Source>();
  /** Those with answers under way. */
  readonly #busy = new Set<Connection>();
  /** Bytes that wait, by reader. */
  #unread = new Map<string, number>();
  /** How many of them one reader may have: as many as it likes, as long as they are not too many in all. */
  #part = Infinity;
  #summing: NodeJS.Timeout | undefined;
  #full = { ...NOTHING_FULL, toldAtMs: -Infinity };

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

  /** Too much waits for clients that do not read, and more than an equal part of it for whoever sent this request. */
  leavesTooMuchUnread(request: IncomingMessage): boolean {
    return this.#part !== Infinity && (this.#unread.get(this.#readerOf(request)) ?? 0) > this.#part;
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
    connection.reader = this.#readerOf(request);
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
    const source = this.#bySource.get(network) ?? { connections: 0, idle: new Set(), busy: new Set() };
    if (this.#bySocket.size >= limits.maxConnections && !this.#makeRoomFor(source)) {
      this.#tell("refused");
      refuse?.(socket);
      socket.destroySoon();
      return;
    }
    const connection: Connection = {
      socket,
      source,
      pending: new Set(),
      waiting: [],
      reader: network,
      unreadSinceMs: undefined,
    };
    this.#bySocket.set(socket, connection);
    this.#bySource.set(network, source);
    source.connections += 1;
    source.idle.add(connection);
    socket.once("close", () => {
      this.#bySocket.delete(socket);
      this.#busy.delete(connection);
      source.busy.delete(connection);
      source.idle.delete(connection);
      source.connections -= 1;
      if (source.connections === 0) this.#bySource.delete(network);
    });
  }

  /**
   * Closes the connection that is idle longest, of the source that has the most; of another source than the newcomer's, where
   * none is idle, one whose client takes its time over an answer. A source gives way to none that has more: nobody can take
   * all of them, and a proxy through which everybody comes has them all as long as nobody else asks.
   */
  #makeRoomFor(newcomer: Source): boolean {
    let most = newcomer;
    let [closed] = newcomer.idle;
    for (const source of this.#bySource.values()) {
      if (source.connections <= most.connections) continue;
      const closable = firstClosable(source);
      if (closable !== undefined) [most, closed] = [source, closable];
    }
    if (closed === undefined) return false;
    const isIdle = most.idle.has(closed);
    this.#tell(isIdle ? "closedIdle" : "closedUnread");
    // Its place is free from now on; it hears of its own end later.
    this.#bySocket.delete(closed.socket);
    this.#busy.delete(closed);
    most.idle.delete(closed);
    most.busy.delete(closed);
    if (isIdle) closed.socket.destroy();
    else closed.socket.resetAndDestroy();
    return true;
  }

  #setBusy(connection: Connection, request: IncomingMessage): void {
    this.#busy.add(connection);
    this.#summing ??= setInterval(() => this.#sum(), SUM_MS).unref();
    const { source, socket } = connection;
    source.idle.delete(connection);
    source.busy.add(connection);
    if (request.complete || !hasBody(request)) return;
    // As long as its sender takes over the body, it is the sender who is waited for.
    source.idle.add(connection);
    request.once("end", () => {
      if (this.#bySocket.get(socket) === connection && connection.pending.size > 0) source.idle.delete(connection);
    });
  }

  #setIdle(connection: Connection): void {
    this.#busy.delete(connection);
    connection.source.busy.delete(connection);
    connection.unreadSinceMs = undefined;
    if (this.#bySocket.get(connection.socket) !== connection) return;
    connection.source.idle.delete(connection);
    connection.source.idle.add(connection);
  }

  /** Nothing came in and nothing went out for as long as was set for the socket; what went out in part counts. */
  #onQuiet(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    const isAtWork = connection !== undefined && connection.pending.size > 0 && socket.writableLength === 0;
    if (isAtWork) socket.setTimeout(this.#options.limits.maxStallMs);
    // Idle for as long as an idle connection may be.
    else if (connection === undefined || connection.pending.size === 0) socket.destroy();
    // Its client reads nothing: what the system still holds for it goes too.
    else socket.resetAndDestroy();
  }

  /** Adds up what waits. Where it is too much, whoever leaves more than an equal part gets nothing new, and is hurried. */
  #sum(): void {
    const { maxUnreadBytes } = this.#options.limits;
    const nowMs = performance.now();
    let sum = 0;
    this.#unread = new Map();
    for (const connection of this.#busy) {
      const bytes = connection.socket.writableLength;
      connection.unreadSinceMs = bytes === 0 ? undefined : (connection.unreadSinceMs ?? nowMs);
      if (bytes === 0) continue;
      sum += bytes;
      this.#unread.set(connection.reader, (this.#unread.get(connection.reader) ?? 0) + bytes);
    }
    this.#part = sum > maxUnreadBytes ? maxUnreadBytes / this.#unread.size : Infinity;
    this.#closeHurried(sum - maxUnreadBytes, nowMs);
    if (this.#busy.size > 0) return;
    clearInterval(this.#summing);
    this.#summing = undefined;
  }

  /** Closes those that had their time, until so many bytes are gone. Any progress would not do: it may be a byte a second. */
  #closeHurried(bytesTooMany: number, nowMs: number): void {
    const hurriedMs = Math.min(HURRIED_MS, this.#options.limits.maxStallMs);
    let left = bytesTooMany;
    for (const { socket, reader, unreadSinceMs } of this.#busy) {
      if (left <= 0) return;
      const isOver = (this.#unread.get(reader) ?? 0) > this.#part;
      if (!isOver || unreadSinceMs === undefined || nowMs - unreadSinceMs < hurriedMs) continue;
      left -= socket.writableLength;
      this.#tell("closedUnread");
      socket.resetAndDestroy();
    }
  }

  #readerOf(request: IncomingMessage): string {
    return networkOf((this.#options.sourceOf ?? otherEnd)(request) ?? "");
  }

  #tell(what: keyof FullFacts): void {
    this.#full[what] += 1;
    const now = performance.now();
    if (now - this.#full.toldAtMs < LOG_EVERY_MS) return;
    const { toldAtMs: _, ...facts } = this.#full;
    this.#full = { ...NOTHING_FULL, toldAtMs: now };
    this.#options.onFull?.(facts);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function otherEnd({ socket }: IncomingMessage): string | undefined {
  return socket.remoteAddress;
}

function firstClosable({ idle, busy }: Source): Connection | undefined {
  const [idleLongest] = idle;
  if (idleLongest !== undefined) return idleLongest;
  const beforeMs = performance.now() - UNREAD_MS;
  for (const connection of busy)
    if ((connection.unreadSinceMs ?? Infinity) < beforeMs && connection.socket.writableLength > 0) return connection;
  return undefined;
}
