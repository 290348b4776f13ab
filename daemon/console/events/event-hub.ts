import { ApiError } from "../../../shared/errors.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { LineFeed, SettledLine } from "../../ledger/stores/line-feed.ts";
import { eventsOfLine, type LiveEvent } from "./events-of-line.ts";
import { mayLearn } from "./may-learn.ts";

/** An event with its place. */
export interface PlacedEvent {
  /** Grows from event to event. */
  readonly position: number;
  readonly event: LiveEvent;
}

/** What one reader gets. */
export interface EventStream {
  /** Those of the reader, oldest first, at most `most`; empty when none wait. */
  take(most: number): readonly PlacedEvent[];
  /** Where the stream is, before anything waits. */
  readonly position: number;
  /** Events were missed before its beginning. */
  readonly hasGap: boolean;
  /** Resolves when something waits, or the stream has ended. */
  changed(): Promise<void>;
  /** Aborts when it has ended: its key was revoked, its reader is too slow or has gone, or the service stops. */
  readonly ended: AbortSignal;
  /** Aborts when its connection has to end too: at once for a reader that takes nothing, else after it could have ended by itself. */
  readonly cut: AbortSignal;
  close(): void;
}

export interface EventHubParts {
  readonly store: LineFeed;
  /** Number of the newest line at the start. */
  readonly lastNumber: number;
  readonly limits?: Partial<EventLimits>;
}

export interface EventLimits {
  /** Streams of one key or user. */
  readonly perActor: number;
  readonly inAll: number;
  /** Events that are kept for readers who come back. */
  readonly kept: number;
  /** Events that may wait for a reader. */
  readonly waiting: number;
  /** Events are kept for this long after the last reader has left, milliseconds. */
  readonly keptMs: number;
}

const DEFAULT_LIMITS: EventLimits = { perActor: 8, inAll: 256, kept: 5_000, waiting: 1_000, keptMs: 300_000 };
/** For a stream to end by itself, which one does whose reader takes what is sent. */
const CUT_AFTER_MS = 1_000;
/** Positions of one line; a line has fewer events. */
const PLACES_OF_LINE = 1_024;

/**
 * Tells what the store has settled to whoever listens. While nobody does, and nobody did lately, a line costs the reading of its
 * number.
 */
export class EventHub {
  readonly #limits: EventLimits;
  readonly #streams = new Set<Stream>();
  readonly #unfollow: () => void;
  #kept: PlacedEvent[] = [];
  /** Events after this position are all in `#kept`; undefined while nothing is kept. */
  #keptAfter: number | undefined;
  #lastNumber: number;
  #forgetting: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ store, lastNumber, limits }: EventHubParts) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#lastNumber = lastNumber;
    this.#unfollow = store.followLines((settled) => this.#settled(settled));
  }

  /**
   * Begins after `position`, or now. Throws 429 above the limits, and 503 once the service stops.
   */
  open(caller: WorkspaceCaller, position: number | undefined): EventStream {
    this.#checkRoom(caller);
    clearTimeout(this.#forgetting);
    this.#keptAfter ??= this.#newest;
    const isKnown = position === undefined || (position >= this.#keptAfter && position <= this.#newest);
    const missed = position === undefined || !isKnown ? [] : this.#kept.filter((placed) => placed.position > position);
    const stream = new Stream({
      caller,
      position: position !== undefined && isKnown ? position : this.#newest,
      hasGap: !isKnown,
      most: this.#limits.waiting,
      onClosed: () => this.#left(stream),
    });
    for (const placed of missed) stream.miss(placed);
    this.#streams.add(stream);
    return stream;
  }

  /** Something that is in no line, for readers of now: it has no position of its own. */
  tell(event: LiveEvent): void {
    for (const stream of this.#streams) stream.offer({ position: this.#newest, event });
  }

  close(): void {
    this.#isClosed = true;
    this.#unfollow();
    clearTimeout(this.#forgetting);
    for (const stream of this.#streams) stream.close();
  }

  /** The end of the newest line: no event of it comes after. */
  get #newest(): number {
    return this.#lastNumber * PLACES_OF_LINE + PLACES_OF_LINE - 1;
  }

  #checkRoom({ actor }: WorkspaceCaller): void {
    if (this.#isClosed) {
      throw new ApiError("unavailable", "The service is shutting down; try again in a moment", {
        retryAfterSeconds: 5,
      });
    }
    const { perActor, inAll } = this.#limits;
    const own = [...this.#streams].filter((stream) => stream.actor === actor).length;
    if (own < perActor && this.#streams.size < inAll) return;
    const message =
      own >= perActor
        ? `These credentials follow events ${perActor} times already; end one of those`
        : `${inAll} readers follow events of this service, which is the maximum; try again later`;
    throw new ApiError("rateLimited", message, { retryAfterSeconds: 10 });
  }

  #left(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#isClosed) return;
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => {
      this.#kept = [];
      this.#keptAfter = undefined;
    }, this.#limits.keptMs).unref();
  }

  #settled(settled: SettledLine): void {
    this.#lastNumber = settled.number;
    if (this.#keptAfter === undefined) return;
    const { line } = settled;
    let place = settled.number * PLACES_OF_LINE;
    for (const event of eventsOfLine(settled).slice(0, PLACES_OF_LINE - 1)) {
      const placed = { position: place, event };
      this.#keep(placed);
      for (const stream of this.#streams) stream.offer(placed);
      place += 1;
    }
    if (line.t === "key.revoked") this.#endOf([line.keyId]);
    else if (line.t === "key.created" && line.replaces !== undefined) this.#endOf(line.replaces);
  }

  #keep(placed: PlacedEvent): void {
    this.#kept.push(placed);
    if (this.#kept.length <= this.#limits.kept * 2) return;
    // In halves, so that a busy service does not move all of them for each.
    const forgotten = this.#kept.splice(0, this.#kept.length - this.#limits.kept);
    this.#keptAfter = forgotten.at(-1)?.position ?? this.#keptAfter;
  }

  #endOf(keyIds: readonly string[]): void {
    for (const stream of this.#streams) if (stream.isOf(keyIds)) stream.close();
  }
}

interface StreamParts {
  readonly caller: WorkspaceCaller;
  readonly position: number;
  readonly hasGap: boolean;
  readonly most: number;
  readonly onClosed: () => void;
}

class Stream implements EventStream {
  readonly #parts: StreamParts;
  readonly #waiting: PlacedEvent[] = [];
  #missed = 0;
  readonly #end = new AbortController();
  readonly #cut = new AbortController();
  #wake: (() => void) | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  get actor(): string {
    return this.#parts.caller.actor;
  }

  get position(): number {
    return this.#parts.position;
  }

  get hasGap(): boolean {
    return this.#parts.hasGap;
  }

  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  isOf(keyIds: readonly string[]): boolean {
    const { key, session } = this.#parts.caller;
    return [key?.keyId, session?.keyId].some((keyId) => keyId !== undefined && keyIds.includes(keyId));
  }

  /** One from before its beginning. What a reader missed was bounded already: it must not be cut off for it. */
  miss(placed: PlacedEvent): void {
    if (!mayLearn(this.#parts.caller, placed.event)) return;
    this.#waiting.push(placed);
    this.#missed += 1;
  }

  offer(placed: PlacedEvent): void {
    if (this.ended.aborted || !mayLearn(this.#parts.caller, placed.event)) return;
    this.#waiting.push(placed);
    if (this.#waiting.length > this.#parts.most + this.#missed) {
      this.#cut.abort(new Error("the reader of events is too slow"));
      this.close();
    }
    this.#wake?.();
  }

  take(most: number): readonly PlacedEvent[] {
    return this.#waiting.splice(0, most);
  }

  async changed(): Promise<void> {
    if (this.#waiting.length > 0 || this.ended.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  close(): void {
    if (this.ended.aborted) return;
    this.#end.abort(new Error("the stream of events has ended"));
    this.#waiting.length = 0;
    this.#wake?.();
    setTimeout(() => this.#cut.abort(new Error("the stream of events has ended")), CUT_AFTER_MS).unref();
    this.#parts.onClosed();
  }
}
