import type { TLSSocket } from "node:tls";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type buildConnector, type Dispatcher, errors, type Pool } from "undici";
import { Http2Connection } from "./http2-connection.ts";
import { oneCallPool } from "./one-call-pool.ts";
import { ReadyConnections } from "./ready-connections.ts";

/** How long HTTP/2 is not offered to a server that broke off without saying what it had processed. */
const WITHOUT_HTTP2_MS = 600_000;

export interface OriginParts {
  /** `https://host:port` */
  readonly origin: string;
  /** Offers HTTP/2 and HTTP/1.1. */
  readonly connectEither: buildConnector.connector;
  readonly connectHttp1: buildConnector.connector;
  /** Whether the address that a connection was made to may still be called. */
  readonly allows: (remoteAddress: string | undefined) => boolean;
}

/** The connections to one server for calls that must not be repeated: HTTP/2 where it speaks it, or each its own. */
export class OriginConnections {
  readonly #parts: OriginParts;
  readonly #pool: Pool;
  readonly #ready: ReadyConnections;
  readonly #http2 = new Set<Http2Connection>();
  /** A handshake that other calls wait for, because the server spoke HTTP/2 last time. */
  #shared: Promise<unknown> | undefined;
  #sharing = 0;
  /** How many calls a connection of this server takes; 0 while it speaks HTTP/1.1. */
  #streamsOfOne = 0;
  #withoutHttp2Until = -Infinity;
  #isClosed = false;
  /** Calls that have no connection yet. */
  #finding = 0;

  constructor(parts: OriginParts) {
    this.#parts = parts;
    this.#ready = new ReadyConnections(async () => await this.#openAhead());
    const connect: buildConnector.connector = (options, callback) => {
      const socket = this.#takeReady();
      if (socket === undefined) parts.connectHttp1(options, callback);
      // The pool does not notice a connection that it has at once.
      else queueMicrotask(() => callback(null, socket));
    };
    this.#pool = oneCallPool(parts.origin, connect);
  }

  /** Never throws: what fails is reported to the handler. */
  async dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): Promise<void> {
    try {
      const http2 = await this.#found();
      if (http2 !== undefined) {
        http2.exchange(request, handler);
        return;
      }
      this.#pool.dispatch(request, handler);
      this.#ready.openAhead();
    } catch (error) {
      handler.onResponseError?.(NOT_BEGUN, error as Error);
    }
  }

  /** A call is under way, or the server broke off a short while ago, which the next call has to heed. */
  isBusy(): boolean {
    const isRemembered = performance.now() < this.#withoutHttp2Until;
    return (
      isRemembered || this.#finding > 0 || this.#pool.stats.size > 0 || [...this.#http2].some((one) => one.isBusy())
    );
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    this.#ready.close();
    for (const connection of this.#http2) connection.destroy();
    await this.#pool.destroy();
  }

  async #found(): Promise<Http2Connection | undefined> {
    this.#finding += 1;
    return await this.#find().finally(() => {
      this.#finding -= 1;
    });
  }

  /** A connection of HTTP/2 with room taken for the call; undefined: one of HTTP/1.1 is ready. */
  async #find(): Promise<Http2Connection | undefined> {
    for (;;) {
      const open = [...this.#http2].find((connection) => connection.hasRoom() && this.#isAllowed(connection));
      if (open !== undefined) {
        if ((await open.isAlive()) && open.reserve()) return open;
        continue;
      }
      if (await this.#hasReady()) return undefined;
      if (await this.#ready.opened()) continue;
      if (this.#shared === undefined || this.#sharing >= this.#streamsOfOne) {
        const opened = await this.#openShared();
        if (opened === undefined || opened.reserve()) return opened;
        continue;
      }
      this.#sharing += 1;
      // Who opened it reports why it failed; the others try themselves.
      await this.#shared.catch(() => {});
    }
  }

  /**
   * After a turn of the event loop, in which what the servers had sent is read: a close that has arrived counts. The turn in
   * which the call began may have read the sockets before.
   */
  async #hasReady(): Promise<boolean> {
    if (this.#ready.size === 0) return false;
    await nextTurn();
    await nextTurn();
    return this.#ready.size > 0;
  }

  #takeReady(): TLSSocket | undefined {
    for (let socket = this.#ready.take(); socket !== undefined; socket = this.#ready.take()) {
      if (this.#parts.allows(socket.remoteAddress)) return socket;
      socket.destroy();
    }
    return undefined;
  }

  async #openShared(): Promise<Http2Connection | undefined> {
    const opening = this.#open();
    if (this.#streamsOfOne > 0 && this.#shared === undefined) {
      this.#shared = opening;
      this.#sharing = 1;
    }
    try {
      const opened = await opening;
      if (opened instanceof Http2Connection) return opened;
      this.#ready.put(opened);
      return undefined;
    } catch (error) {
      // Those who wait would fail one after the other, each after the time of a handshake.
      this.#streamsOfOne = 0;
      throw error;
    } finally {
      if (this.#shared === opening) this.#shared = undefined;
    }
  }

  async #openAhead(): Promise<TLSSocket | undefined> {
    const opened = await this.#open();
    return opened instanceof Http2Connection ? undefined : opened;
  }

  async #open(): Promise<TLSSocket | Http2Connection> {
    const { origin, connectEither, connectHttp1 } = this.#parts;
    const { hostname, host, protocol, port } = new URL(origin);
    const connect = performance.now() < this.#withoutHttp2Until ? connectHttp1 : connectEither;
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      connect({ hostname, host, protocol, port }, (...[error, connected]) => {
        if (error === null) resolve(connected as TLSSocket);
        else reject(error);
      });
    });
    if (this.#isClosed) {
      socket.destroy();
      throw new errors.ClientDestroyedError();
    }
    if (socket.alpnProtocol !== "h2") {
      this.#streamsOfOne = 0;
      return socket;
    }
    return await this.#speakHttp2(origin, socket);
  }

  async #speakHttp2(origin: string, socket: TLSSocket): Promise<Http2Connection> {
    const { connect } = await import("node:http2");
    const maxStreams = this.#streamsOfOne > 0 ? this.#streamsOfOne : undefined;
    const facts = { origin, socket, ...(maxStreams !== undefined && { maxStreams }) };
    const connection: Http2Connection = new Http2Connection(connect, facts, {
      onLimit: (streams) => {
        this.#streamsOfOne = streams;
      },
      onRetired: () => this.#http2.delete(connection),
      onBroken: () => {
        this.#withoutHttp2Until = performance.now() + WITHOUT_HTTP2_MS;
      },
    });
    this.#streamsOfOne = connection.maxStreams;
    this.#http2.add(connection);
    return connection;
  }

  #isAllowed(connection: Http2Connection): boolean {
    if (this.#parts.allows(connection.remoteAddress)) return true;
    connection.retire();
    return false;
  }
}

/** For a call that ended before it had a connection. */
const NOT_BEGUN: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => {},
  pause: () => {},
  resume: () => {},
};
