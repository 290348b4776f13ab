import type { IndexView } from "../../index/index-view.ts";
import { runInTurns } from "../../index/indexer.ts";
import type { Shard } from "../../index/shard/shard.ts";
import { type Calibration, calibrateInSteps, USUAL_CALIBRATION } from "./calibration.ts";
import type { Ranker } from "../scoring/rank.ts";

/** The calibration of the current catalog, or of a slightly older one. */
export interface KeptCalibration {
  /** The calibration of this view, or the last one available. */
  of(view: IndexView): Calibration;
  /** Calibrates the view in the background; not needed when it only has a few more shards than before. */
  prepare(view: IndexView): Promise<void>;
  /** Resolves when there is a calibration, possibly an earlier one: only the first has to be waited for. */
  ready(view: IndexView): Promise<void>;
  /** Stops the work in progress. */
  close(): Promise<void>;
}

/**
 * Keeps calibration up to date with the index. It takes as long as about a hundred queries, so no query waits for it,
 * except those before the first calibration: the last one is used until the next is ready. A change in the meantime is
 * handled in the next round.
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
      // A failure is reported to the caller of `prepare`.
      const prepared = prepare(view).catch(() => {});
      if (last === undefined) await prepared;
    },
    async close() {
      closing.abort();
      await working?.catch(() => {});
    },
  };
}

/** The shard with the largest part of a view; absent for an empty view. */
function basisOf({ shards }: IndexView): Shard | undefined {
  return shards[0]?.shard;
}
