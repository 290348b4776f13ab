import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../limits/rate-limits.ts";
import type { SourceOf } from "../callers/request-source.ts";

/*
 * The connections of one port, and the answers in progress on each.
 *
 *   a connection is      while                                             it may be closed for another
 *   idle                 it has sent no request, or only part of one       the one that has been idle longest first
 *   unread               its client is slow to read an answer              if no other is idle, for an address with fewer
 *   at work              an answer is being made for it                    never
 *
 * Pipelined requests are handled one after the other. So at most one answer waits for a client that does not read, and
 * no more are made for it.
 */

/**
 * Maximum number of pending answers of a connection. Clients that pipeline send a handful; browsers and agents send
 * one.
 */
const MAX_PENDING = 16;
/**
 * Time for a client to read its answer while too many bytes wait in total and its address has more than an equal share.
 */
const HURRIED_MS = 5_000;
/**
 * A client that has not read an answer for this long may be closed for one of another address. Most read it at once.
 */
const UNREAD_MS = 1_000;
/** How often the waiting bytes are added up: much more often than they can reach a limit. */
const SUM_MS = 250;
const LOG_EVERY_MS = 60_000;

export interface ConnectionLimits {
  /** Open connections at the same time. */
  readonly maxConnections: number;
  /**
   * A client that reads nothing of an answer for this long counts as gone. Any progress resets it; nginx waits 60 s
   * too.
   */
  readonly maxStallMs: number;
  /** Bytes of answers that may wait for all clients together; above it, each address is limited to an equal share. */
  readonly maxUnreadBytes: number;
}

/** The defaults. Twenty-five clients that read the largest outputs slowly fit at the same time. */
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 4_096,
  maxStallMs: 60_000,
  maxUnreadBytes: 256 * 1_024 * 1_024,
};

/** Numbers of connections since the last report. */
export interface FullFacts {
  readonly closedIdle: number;
  readonly closedUnread: number;
  readonly refused: number;
}

const NOTHING_FULL: FullFacts = { closedIdle: 0, closedUnread: 0, refused: 0 };

export interface OpenConnectionsOptions {
  readonly limits: ConnectionLimits;
  /** Called at most once a minute when connections were closed or refused because all were in use. */
  readonly onFull?: (facts: FullFacts) => void;
  /** Tells a connection that it is refused, before it ends. */
  readonly refuse?: (socket: Socket) => void;
  /** Whom a request comes from, as trusted proxies report it; absent: the other end of its connection. */
  readonly sourceOf?: SourceOf | undefined;
}

interface Source {
  connections: number;
  /** Idle longest first. */
  readonly idle: Set<Connection>;
  /** Those with pending answers, busy longest first. */
  readonly busy: Set<Connection>;
}

interface Connection {
  readonly socket: Socket;
  readonly source: Source;
  /** Answers that are not sent yet, in the order of their requests. */
  readonly pending: Set<ServerResponse>;
  /** Functions that begin the next answers, in order. */
  readonly waiting: (() => void)[];
  /** The network that the last request came from. */
  reader: string;
  /** Since when its client has left something unread; undefined if nothing is. */
  unreadSinceMs: number | undefined;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #bySource = new Map<string, Source>();
  /** Those with pending answers. */
  readonly #busy = new Set<Connection>();
  /** Unread bytes by reader. */
  #unread = new Map<string, number>();
  /** How many unread bytes one reader may have; unlimited while the total is within its limit. */
  #part = Infinity;
  #summing: NodeJS.Timeout | undefined;
  #full = { ...NOTHING_FULL, toldAtMs: -Infinity };

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  /** Tracks every connection of the server. */
  watch(server: Server): void {
    server.prependListener("connection", (socket: Socket) => this.#open(socket));
    server.on("timeout", (socket: Socket) => this.#onQuiet(socket));
  }

  /** Whether the connection has pending answers. */
  hasPending(socket: Socket): boolean {
    return (this.#bySocket.get(socket)?.pending.size ?? 0) > 0;
  }

  /** True if too many bytes are unread in total and the sender of this request has more than an equal share of them. */
  leavesTooMuchUnread(request: IncomingMessage): boolean {
    return this.#part !== Infinity && (this.#unread.get(this.#readerOf(request)) ?? 0) > this.#part;
  }

  /**
   * Calls `begin` when the answers before are sent; never if the connection ends first or has too many pending answers.
   */
  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const connection = this.#bySocket.get(request.socket);
    // Requests that were read together with the one that closed the connection are still parsed.
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
    // After an answer with "Connection: close" no other may follow.
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
   * Closes the longest idle connection of the source that has the most connections. If a source other than the
   * newcomer's has no idle one, closes one whose client is slow to read an answer. A source never loses a connection to
   * one that has more. So nobody can take all connections, but a proxy in front of everybody may use them all while
   * nobody else connects.
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
    // Its slot is free from now on; its `close` event comes later.
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
    // Until the whole body has arrived, the connection counts as idle too: it waits for its client.
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

  /** Called when nothing came in or went out for the timeout of the socket; partial writes count as activity. */
  #onQuiet(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    const isAtWork = connection !== undefined && connection.pending.size > 0 && socket.writableLength === 0;
    if (isAtWork) socket.setTimeout(this.#options.limits.maxStallMs);
    // An idle connection has reached its limit.
    else if (connection === undefined || connection.pending.size === 0) socket.destroy();
    // Its client reads nothing: drop also what the system still buffers for it.
    else socket.resetAndDestroy();
  }

  /** Adds up the unread bytes. If they are too many, readers above an equal share get no new answers and less time. */
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

  /**
   * Closes those whose time is over, until enough bytes are freed. Slow progress does not help: it may be a byte a
   * second.
   */
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
