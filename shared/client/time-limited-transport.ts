import { linkSignals } from "../linked-signal.ts";
import type { Transport } from "./transport.ts";

/** Seconds that a service may take to begin its answer. */
export interface TimeLimits {
  /** For requests that only read. */
  readonly read: number;
  /** For all others: a run may take as long as the specification allows. */
  readonly write: number;
}

/** A synchronous run takes at most 300 seconds. */
const usualLimits: TimeLimits = { read: 60, write: 330 };

/**
 * Cancels a request whose answer does not begin in time, so that a service which accepts requests but never answers
 * blocks nobody; the request's own signal may abort it earlier, and then its reason is thrown.
 */
export function timeLimitedTransport(transport: Transport, limits: TimeLimits = usualLimits): Transport {
  return async (request) => {
    const seconds = request.method === "GET" ? limits.read : limits.write;
    const linked = linkSignals(request.signal === undefined ? [] : [request.signal], seconds * 1000);
    try {
      const answer = await transport({ ...request, signal: linked.signal });
      // The request's own signal goes on: it also aborts an answer that has begun.
      linked.stopTimer();
      return { ...answer, body: withEnd(answer.body, linked.release) };
    } catch (error) {
      linked.release();
      if (request.signal?.aborted || !linked.signal.aborted) throw error;
      throw new Error(`no answer within ${seconds} seconds`, { cause: error });
    }
  };
}

async function* withEnd(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}
