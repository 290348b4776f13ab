import { linkSignals } from "../linked-signal.ts";
import type { Transport } from "./transport.ts";

/** Seconds that a service may take to begin its answer. */
export interface TimeLimits {
  /** Of what only reads. */
  readonly read: number;
  /** Of everything else: a run may be held back for as long as the specification lets it. */
  readonly write: number;
}

/** A run that is answered at once is held back for at most 300 seconds. */
const usualLimits: TimeLimits = { read: 60, write: 330 };

/**
 * Gives up a request whose answer does not begin in time, so that a service which takes requests and never answers holds
 * nobody up; a signal of the request's own may end it sooner, and then its reason is thrown.
 */
export function timeLimitedTransport(transport: Transport, limits: TimeLimits = usualLimits): Transport {
  return async (request) => {
    const seconds = request.method === "GET" ? limits.read : limits.write;
    const limit = linkSignals([], seconds * 1000);
    // Besides the limit, and longer: the request's own signal ends an answer that has begun, too.
    const either = linkSignals([limit.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    try {
      const answer = await transport({ ...request, signal: either.signal });
      return { ...answer, body: withEnd(answer.body, either.release) };
    } catch (error) {
      either.release();
      if (request.signal?.aborted || !limit.signal.aborted) throw error;
      throw new Error(`no answer within ${seconds} seconds`, { cause: error });
    } finally {
      limit.release();
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
