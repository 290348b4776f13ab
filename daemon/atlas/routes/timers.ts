import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { createIdSource } from "../../base/new-id.ts";

/** Ids of stopped timers that are remembered; who asks for an older one is told that it still runs. */
const MAX_STOPPED = 10_000;

/** A timer as it is told: seconds since it was started, and until it is over where it has an end. */
export interface TimerView {
  readonly id: string;
  readonly name: string;
  readonly startedAt: string;
  readonly elapsedSeconds: number;
  readonly until?: string;
  /** 0 once it is over. */
  readonly remainingSeconds?: number;
}

const TimerContent = z.strictObject({
  /** Milliseconds since the epoch. */
  s: z.int().min(0),
  u: z.int().min(0).optional(),
  n: z.string().min(1).max(60),
  /** Tells equal timers apart. */
  k: z.string().max(16),
});
type TimerContent = z.infer<typeof TimerContent>;

/**
 * Timers that run until they are stopped. An id carries all that a timer is, so it goes on when atlas is started anew; only
 * that one was stopped is then forgotten.
 */
export class Timers {
  readonly #stopped = new Set<string>();
  readonly #newId = createIdSource();

  start(name: string, untilMs: number | undefined, nowMs: number): TimerView {
    const content = { s: nowMs, ...(untilMs !== undefined && { u: untilMs }), n: name, k: this.#newId().slice(-8) };
    return view(Buffer.from(JSON.stringify(content)).toString("base64url"), content, nowMs);
  }

  /** 404 for what is no id of a timer, 410 for one that was stopped. */
  get(id: string, nowMs: number): TimerView {
    const content = decode(id);
    if (content === undefined) {
      throw new AtlasError(404, "There is no such timer. Send the id that the start of the timer answered with.");
    }
    if (this.#stopped.has(id)) throw new AtlasError(410, "The timer was stopped.");
    return view(id, content, nowMs);
  }

  /** As `get`; from then on it is gone. */
  stop(id: string, nowMs: number): TimerView {
    const last = this.get(id, nowMs);
    this.#stopped.add(id);
    const [oldest] = this.#stopped;
    if (oldest !== undefined && this.#stopped.size > MAX_STOPPED) this.#stopped.delete(oldest);
    return last;
  }
}

function decode(id: string): TimerContent | undefined {
  try {
    return TimerContent.safeParse(JSON.parse(Buffer.from(id, "base64url").toString())).data;
  } catch {
    return undefined;
  }
}

function view(id: string, { s, u, n }: TimerContent, nowMs: number): TimerView {
  return {
    id,
    name: n,
    startedAt: new Date(s).toISOString(),
    elapsedSeconds: Math.max(0, (nowMs - s) / 1_000),
    ...(u !== undefined && {
      until: new Date(u).toISOString(),
      remainingSeconds: Math.max(0, (u - nowMs) / 1_000),
    }),
  };
}
