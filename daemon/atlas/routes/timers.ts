import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { createIdSource } from "../../base/new-id.ts";

/** The number of remembered ids of stopped timers; older ones appear to run again. */
const MAX_STOPPED = 10_000;

/** A timer in an answer: seconds since it was started, and seconds remaining if it has an end. */
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
  /** Distinguishes equal timers. */
  k: z.string().max(16),
});
type TimerContent = z.infer<typeof TimerContent>;

/**
 * Timers that run until they are stopped. An id contains all data of a timer, so the timer continues when atlas is
 * restarted; only the fact that it was stopped is lost then.
 */
export class Timers {
  readonly #stopped = new Set<string>();
  readonly #newId = createIdSource();

  start(name: string, untilMs: number | undefined, nowMs: number): TimerView {
    const content = { s: nowMs, ...(untilMs !== undefined && { u: untilMs }), n: name, k: this.#newId().slice(-8) };
    return view(Buffer.from(JSON.stringify(content)).toString("base64url"), content, nowMs);
  }

  /** 404 for an invalid timer id, 410 for one that was stopped. */
  get(id: string, nowMs: number): TimerView {
    const content = decode(id);
    if (content === undefined) {
      throw new AtlasError(404, "There is no such timer. Send the id that the start of the timer answered with.");
    }
    if (this.#stopped.has(id)) throw new AtlasError(410, "The timer was stopped.");
    return view(id, content, nowMs);
  }

  /** As `get`; the timer ends with this call. */
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
