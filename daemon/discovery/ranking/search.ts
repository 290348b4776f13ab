import type { LookedFor } from "./explain-match.ts";
import type { IndexView } from "../index/index-view.ts";
import type { Calibration } from "./confidence/calibration.ts";
import { type Confidence, createConfidence } from "./confidence/confidence.ts";
import { keepCalibrated, type KeptCalibration } from "./confidence/keep-calibrated.ts";
import { createRanker, type Ranker, type Ranking, type RankingKnowledge, type RankOptions } from "./scoring/rank.ts";

/** A document with its score: above 0 and below 2. */
export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
  /** How near it is in meaning, −1 to 1; 0 without vectors. */
  readonly cosine: number;
}

/** Best first, with scores that mean the same in every catalog. */
export interface ScoredRanking {
  readonly all: readonly ScoredDocument[];
  /** As if what is hidden were not there. */
  readonly shown: readonly ScoredDocument[];
}

/** Asks what one view of the index holds. */
export interface Search {
  rank(q: string, options: RankOptions): ScoredRanking;
  /** What is looked for when this is asked. */
  lookFor(q: string): readonly LookedFor[];
}

/** How what was ranked is scored. */
export interface Scoring {
  readonly confidence: Confidence;
  /** Asked at every query: a newer one may have come. */
  readonly calibration: () => Calibration;
}

/** `ranker`: of this view. */
export function createSearch(view: IndexView, ranker: Ranker, { confidence, calibration }: Scoring): Search {
  function score(q: string, ranking: Ranking): ScoredDocument[] {
    const scores = confidence(q, ranking, { ...calibration(), size: view.size });
    return ranking.candidates.map(({ document, cosine }, place) => ({ document, score: scores[place] ?? 0, cosine }));
  }

  return {
    rank(q, options) {
      const ranking = ranker.rank(q, options);
      const { candidates, shown } = ranking;
      const all = score(q, ranking);
      return { all, shown: shown === candidates ? all : score(q, { ...ranking, candidates: shown }) };
    },
    lookFor(q) {
      const { ask, worthOf } = ranker.read(q);
      return ask.words.map((word) => ({
        word: word.written,
        form: word.stem,
        worth: worthOf(word),
        ...(word.by !== undefined && { by: word.by }),
      }));
    },
  };
}

export interface Searches extends Pick<KeptCalibration, "prepare" | "ready" | "close"> {
  /** The search of a view, made once for it: what a query needs beside the index is kept as long as the view is. */
  of(view: IndexView): Search;
}

export function createSearches(knowledge: RankingKnowledge = {}): Searches {
  const rankerOf = oncePerView((view) => createRanker(view, knowledge));
  const { of, ...kept } = keepCalibrated(rankerOf);
  const confidence = createConfidence();
  return {
    ...kept,
    of: oncePerView((view) => createSearch(view, rankerOf(view), { confidence, calibration: () => of(view) })),
  };
}

function oncePerView<Made>(make: (view: IndexView) => Made): (view: IndexView) => Made {
  const known = new WeakMap<IndexView, { readonly made: Made }>();
  return (view) => {
    const kept = known.get(view) ?? { made: make(view) };
    known.set(view, kept);
    return kept.made;
  };
}
