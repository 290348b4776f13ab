import type { TLSSocket } from "node:tls";

/**
 * How old a connection may be when its first request is sent. Servers wait longer than this for the first request; the
 * shortest usual limit is 5 s.
 */
const READY_MS = 4_000;
const MAX_READY = 32;
/** How long no connection is opened ahead at a server that closed one, or let none be opened. */
const BLOCKED_MS = 600_000;

interface Ready {
  readonly socket: TLSSocket;
  readonly timer: NodeJS.Timeout;
  readonly drop: () => void;
}

/**
 * Connections to one server that were opened ahead of the call that will use them. Nothing was ever sent on them, so the
 * server has no idle time after an answer to run out just then; see docs/decisions/2026-11-22-connections-of-paid-calls.md.
 */
export class ReadyConnections {
  readonly #ready: Ready[] = [];
  readonly #open: () => Promise<TLSSocket | undefined>;
  #opening = 0;
  /** The calls that wait for a connection which is being opened. */
  readonly #waiting: (() => void)[] = [];
  /** When the latest calls began, the newest last. */
  readonly #calls: number[] = [];
  /** How long the last handshake took. */
  #handshakeMs = 0;
  #blockedUntil = -Infinity;
  #isClosed = false;

  /** `open` resolves with a new connection, or with undefined when it has found another use for it. */
  constructor(open: () => Promise<TLSSocket | undefined>) {
    this.#open = open;
  }

  /**
   * Opens one for the call after this one, and as many more as there were calls during a handshake. None if the call before
   * was so long ago that it would not have used one: a connection for nothing costs the provider too.
   */
  openAhead(): void {
    const now = performance.now();
    const isWorthIt = now - (this.#calls.at(-1) ?? -Infinity) < READY_MS && now >= this.#blockedUntil;
    this.#calls.push(now);
    if (this.#calls.length > MAX_READY) this.#calls.shift();
    if (!isWorthIt || this.#isClosed) return;
    const wanted = 1 + this.#calls.filter((at) => now - at < this.#handshakeMs).length;
    while (this.#ready.length + this.#opening < Math.min(wanted, MAX_READY)) this.#openOne();
  }

  /** Waits for a connection that is being opened, unless other calls wait for all of these; false: there is none. */
  async opened(): Promise<boolean> {
    if (this.#opening <= this.#waiting.length) return false;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return true;
  }

  #openOne(): void {
    this.#opening += 1;
    const begunAt = performance.now();
    this.#open()
      .then((socket) => {
        this.#handshakeMs = performance.now() - begunAt;
        if (socket !== undefined) this.put(socket);
      })
      .catch(() => this.#block())
      .finally(() => {
        this.#opening -= 1;
        this.#waiting.shift()?.();
      });
  }

  /** Keeps a connection on which nothing was sent yet. */
  put(socket: TLSSocket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const ready: Ready = {
      socket,
      timer: setTimeout(() => this.#drop(ready), READY_MS).unref(),
      // Whatever a server says before it was asked (408, the end) makes the connection useless.
      drop: () => {
        this.#drop(ready);
        this.#block();
      },
    };
    for (const event of EVENTS) socket.on(event, ready.drop);
    socket.unref();
    this.#ready.push(ready);
  }

  get size(): number {
    return this.#ready.length;
  }

  /**
   * The newest one that is open. What had arrived from the server by now was read before: the caller comes out of a turn
   * of the event loop of its own.
   */
  take(): TLSSocket | undefined {
    const ready = this.#ready.pop();
    if (ready === undefined) return undefined;
    const { socket } = ready;
    clearTimeout(ready.timer);
    for (const event of EVENTS) socket.off(event, ready.drop);
    socket.pause();
    socket.ref();
    return socket;
  }

  close(): void {
    this.#isClosed = true;
    while (this.#ready[0] !== undefined) this.#drop(this.#ready[0]);
  }

  #drop(ready: Ready): void {
    clearTimeout(ready.timer);
    const place = this.#ready.indexOf(ready);
    if (place >= 0) this.#ready.splice(place, 1);
    for (const event of EVENTS) ready.socket.off(event, ready.drop);
    ready.socket.destroy();
  }

  #block(): void {
    this.#blockedUntil = performance.now() + BLOCKED_MS;
  }
}

const EVENTS = ["data", "end", "error", "close"] as const;
