import type { ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Dispatcher } from "undici";
import { type ExchangeEnd, exchangeOverHttp2, type GoAway } from "./http2-exchange.ts";

/** An idle connection is closed after this, before most servers would do it. */
const IDLE_MS = 60_000;
/** Then a new one is made, since the name may have another address by now. */
const MAX_AGE_MS = 300_000;
/** A connection that was silent for longer is asked whether it still works before a call relies on it. */
const SURE_MS = 1_000;
/** Longer than a round trip to any place on earth. */
const PING_TIMEOUT_MS = 1_000;
/** Until the server says how many streams it takes; most take 100 or more. */
const USUAL_STREAMS = 100;
const STREAM_WINDOW_BYTES = 1_048_576;
const CONNECTION_WINDOW_BYTES = 4_194_304;
/**
 * More PINGs and SETTINGS than this in `FLOOD_MS` only cost time (CVE-2019-9512, CVE-2019-9515). Servers that measure their
 * bandwidth send a PING in each round trip, and to cut one off loses the answers of paid calls.
 */
const MAX_CONTROL_FRAMES = 10_000;
const FLOOD_MS = 10_000;

export interface Http2ConnectionEvents {
  /** The server said how many calls it takes at the same time. */
  readonly onLimit: (maxStreams: number) => void;
  /** It takes no further calls; those that it has go on. */
  readonly onRetired: () => void;
  /** It broke under a call without saying which calls it had processed, or wants HTTP/1.1. */
  readonly onBroken: () => void;
}

export interface Http2ConnectionFacts {
  readonly origin: string;
  readonly socket: TLSSocket;
  /** What the server took on the connection before this one. */
  readonly maxStreams?: number;
}

/** One HTTP/2 connection and the calls on it. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #events: Http2ConnectionEvents;
  readonly #bornAt = performance.now();
  readonly remoteAddress: string | undefined;
  #heardAt = performance.now();
  #open = 0;
  #served = 0;
  #maxStreams: number;
  #goAway: GoAway | undefined;
  #isRetired = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #alive: Promise<boolean> | undefined;
  #control = { sinceMs: 0, frames: 0 };

  /** `socket` has chosen h2 by ALPN. */
  constructor(
    connect: typeof connectHttp2,
    { origin, socket, maxStreams }: Http2ConnectionFacts,
    events: Http2ConnectionEvents,
  ) {
    this.#events = events;
    this.#maxStreams = maxStreams ?? USUAL_STREAMS;
    this.remoteAddress = socket.remoteAddress;
    const session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.#session = session;
    session.setMaxListeners(0);
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.#countControlFrame();
      // A server that takes none at the moment would let a call wait; one that is refused goes elsewhere.
      this.#maxStreams = Math.max(1, Math.min(maxConcurrentStreams ?? USUAL_STREAMS, USUAL_STREAMS));
      events.onLimit(this.#maxStreams);
    });
    session.on("ping", () => this.#countControlFrame());
    session.on("goaway", (code: number, lastStreamId: number) => {
      this.#goAway = { code, lastStreamId: Math.min(this.#goAway?.lastStreamId ?? Infinity, lastStreamId) };
      this.retire();
    });
    // Each call on it reports the error itself.
    session.on("error", () => {});
    session.once("close", () => this.retire());
    this.#rest();
  }

  /** The number of calls that the server takes at the same time, as far as it is known. */
  get maxStreams(): number {
    return this.#maxStreams;
  }

  hasRoom(): boolean {
    if (performance.now() - this.#bornAt > MAX_AGE_MS) this.retire();
    return !this.#isRetired && this.#open < this.#maxStreams;
  }

  /**
   * Whether a call may rely on the connection: something was heard of it within a second, or it answers a PING. One that
   * does not answer takes no further calls.
   */
  async isAlive(): Promise<boolean> {
    if (this.#isRetired) return false;
    if (performance.now() - this.#heardAt < SURE_MS) return true;
    this.#alive ??= this.#ping().finally(() => {
      this.#alive = undefined;
    });
    return await this.#alive;
  }

  isBusy(): boolean {
    return this.#open > 0;
  }

  /** Takes room for one call, which `exchange` then makes at once; false: there is none. */
  reserve(): boolean {
    if (!this.hasRoom()) return false;
    this.#open += 1;
    clearTimeout(this.#idleTimer);
    this.#session.ref();
    return true;
  }

  exchange(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const isReused = this.#served > 0;
    this.#served += 1;
    const goAway = () => this.#goAway;
    exchangeOverHttp2(
      this.#session,
      { request, handler, isReused, goAway },
      { onHeard: () => this.#hear(), onEnd: (outcome) => this.#end(outcome) },
    );
  }

  /** Takes no further calls, and closes when those that it has are done. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    clearTimeout(this.#idleTimer);
    if (!this.#session.closed && !this.#session.destroyed) this.#session.close();
    this.#events.onRetired();
  }

  destroy(): void {
    this.retire();
    this.#session.destroy();
  }

  #hear(): void {
    this.#heardAt = performance.now();
  }

  #end(outcome: ExchangeEnd): void {
    this.#open -= 1;
    // A stream that was refused without a GOAWAY: the server has as many as it takes for now.
    if (outcome === "refused") this.#maxStreams = Math.max(1, this.#open);
    if (outcome === "misdirected" || (outcome === "refused" && this.#open === 0)) this.retire();
    const isLost = outcome === "broken" && (this.#session.closed || this.#session.destroyed);
    if (outcome === "needsHttp1" || (isLost && this.#goAway === undefined)) {
      this.retire();
      this.#events.onBroken();
    }
    if (this.#open === 0) this.#rest();
  }

  /** Without calls it keeps neither the process alive nor itself for long. */
  #rest(): void {
    if (this.#isRetired) return;
    this.#session.unref();
    this.#idleTimer = setTimeout(() => this.retire(), IDLE_MS).unref();
  }

  async #ping(): Promise<boolean> {
    this.#session.ref();
    const isAlive = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), PING_TIMEOUT_MS);
      const answer = (isAnswered: boolean) => {
        clearTimeout(timer);
        resolve(isAnswered);
      };
      try {
        if (!this.#session.ping((error) => answer(error === null))) answer(false);
      } catch {
        answer(false);
      }
    });
    if (isAlive) this.#hear();
    // Late is not lost: calls that were made may have been paid for, and wait for their answers until their own deadlines.
    else if (this.#open > 0) this.retire();
    else this.destroy();
    if (this.#open === 0) this.#session.unref();
    return isAlive && !this.#isRetired;
  }

  #countControlFrame(): void {
    const now = performance.now();
    if (now - this.#control.sinceMs > FLOOD_MS) this.#control = { sinceMs: now, frames: 0 };
    this.#control.frames += 1;
    if (this.#control.frames > MAX_CONTROL_FRAMES) this.destroy();
  }
}
