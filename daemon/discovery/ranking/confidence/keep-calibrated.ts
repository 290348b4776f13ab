import type { IndexView } from "../../index/index-view.ts";
import { runInTurns } from "../../index/indexer.ts";
import type { Shard } from "../../index/shard/shard.ts";
import { type Calibration, calibrateInSteps, USUAL_CALIBRATION } from "./calibration.ts";
import type { Ranker } from "../scoring/rank.ts";

/** The calibration of the catalog as it is now, or as it was a moment ago. */
export interface KeptCalibration {
  /** Of this view, or the last that there is. */
  of(view: IndexView): Calibration;
  /** Has the view calibrated while other work goes on; nothing is to do for one that only has some more parts than before. */
  prepare(view: IndexView): Promise<void>;
  /** Resolves when there is a calibration, be it an earlier one: only the first has to be waited for. */
  ready(view: IndexView): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/**
 * Keeps calibration in step with the index. It takes about a hundred queries' time, so no question waits for it, but for those
 * before the first: the last stands until the next is ready. What changes meanwhile is seen to in the next round.
 */
export function keepCalibrated(rankerOf: (view: IndexView) => Ranker): KeptCalibration {
  const known = new WeakMap<Shard, Calibration>();
  const closing = new AbortController();
  let last: Calibration | undefined;
  let newest: IndexView | undefined;
  let working: Promise<void> | undefined;

  const isKnown = (view: IndexView) => {
    const basis = basisOf(view);
    return basis === undefined || known.has(basis);
  };

  function* calibrate(view: IndexView): Generator<void, Calibration> {
    return yield* calibrateInSteps(rankerOf(view), view.size);
  }

  async function catchUp(): Promise<void> {
    try {
      for (let view = newest; view !== undefined && !isKnown(view); view = newest) {
        last = await runInTurns(calibrate(view), closing.signal);
        const basis = basisOf(view);
        if (basis !== undefined) known.set(basis, last);
      }
    } finally {
      working = undefined;
    }
  }

  async function prepare(view: IndexView): Promise<void> {
    newest = view;
    if (isKnown(view)) return;
    working ??= catchUp();
    try {
      await working;
    } catch (error) {
      if (!closing.signal.aborted) throw error;
    }
  }

  return {
    of(view) {
      const basis = basisOf(view);
      return (basis && known.get(basis)) ?? last ?? USUAL_CALIBRATION;
    },
    prepare,
    async ready(view) {
      // Whether it failed is told to whoever had it prepared.
      const prepared = prepare(view).catch(() => {});
      if (last === undefined) await prepared;
    },
    async close() {
      closing.abort();
      await working?.catch(() => {});
    },
  };
}

/** The part that most of a view is in; absent when it has none. */
function basisOf({ shards }: IndexView): Shard | undefined {
  return shards[0]?.shard;
}
