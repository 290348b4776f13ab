import { linkSignals } from "../linked-signal.ts";
import type { Transport } from "./transport.ts";

/** In seconds. */
export interface TimeLimits {
  /** How long a service may take to begin its answer to requests that only read. */
  readonly read: number;
  /** The same for all others: a run may take as long as the specification allows. */
  readonly write: number;
  /** How long nothing may come of an answer that has begun. */
  readonly pause: number;
}

/** A synchronous run takes at most 300 seconds; a stream of events says something every 15. */
const usualLimits: TimeLimits = { read: 60, write: 330, pause: 120 };

/**
 * Cancels a request whose answer does not begin in time, or stops coming, so that a service or a network which falls
 * silent blocks nobody; the request's own signal may abort it earlier, and then its reason is thrown.
 */
export function timeLimitedTransport(transport: Transport, limits: TimeLimits = usualLimits): Transport {
  return async (request) => {
    const seconds = request.method === "GET" ? limits.read : limits.write;
    const silence = new AbortController();
    const outer = [...(request.signal === undefined ? [] : [request.signal]), silence.signal];
    const linked = linkSignals(outer, seconds * 1000);
    try {
      const answer = await transport({ ...request, signal: linked.signal });
      // The request's own signal goes on: it also aborts an answer that has begun.
      linked.stopTimer();
      return { ...answer, body: limited(answer.body, { silence, seconds: limits.pause, end: linked.release }) };
    } catch (error) {
      linked.release();
      if (request.signal?.aborted || !linked.signal.aborted) throw error;
      throw new Error(`no answer within ${seconds} seconds`, { cause: error });
    }
  };
}

/** Only while somebody waits for the next piece: who reads slowly is not a service that is silent. */
async function* limited(
  body: AsyncIterable<Uint8Array>,
  { silence, seconds, end }: { readonly silence: AbortController; readonly seconds: number; readonly end: () => void },
): AsyncGenerator<Uint8Array> {
  const giveUp = () => silence.abort(new Error(`the answer stopped: nothing came for ${seconds} seconds`));
  let timer = setTimeout(giveUp, seconds * 1000);
  try {
    for await (const piece of body) {
      clearTimeout(timer);
      yield piece;
      timer = setTimeout(giveUp, seconds * 1000);
    }
  } finally {
    clearTimeout(timer);
    end();
  }
}
