import type { LookedFor } from "./explain-match.ts";
import type { IndexView } from "../index/index-view.ts";
import type { Calibration } from "./confidence/calibration.ts";
import { type Confidence, createConfidence } from "./confidence/confidence.ts";
import { keepCalibrated, type KeptCalibration } from "./confidence/keep-calibrated.ts";
import type { Intents } from "./query/intents.ts";
import { keepLanguages } from "./query/keep-languages.ts";
import { createRanker, type Ranker, type Ranking, type RankingKnowledge, type RankOptions } from "./scoring/rank.ts";

/** A document with its score: above 0 and below 2. */
export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
  /** 0 to 1: how likely it is right. */
  readonly chance: number;
  /** Similarity in meaning, −1 to 1; 0 without vectors. */
  readonly cosine: number;
}

/** Best first, with scores that mean the same in every catalog. */
export interface ScoredRanking {
  readonly all: readonly ScoredDocument[];
  /** The ranking as if hidden documents did not exist. */
  readonly shown: readonly ScoredDocument[];
}

/** Queries one view of the index. */
export interface Search {
  rank(q: string, options: RankOptions): ScoredRanking;
  intentsOf(q: string): Intents;
  /** The terms that are searched for this query. */
  lookFor(q: string): readonly LookedFor[];
}

/** How ranked documents are scored. */
export interface Scoring {
  readonly confidence: Confidence;
  /** Called for every query, because it may have been updated. */
  readonly calibration: () => Calibration;
}

/** `ranker`: of this view. */
export function createSearch(view: IndexView, ranker: Ranker, { confidence, calibration }: Scoring): Search {
  function judge(q: string, ranking: Ranking): ScoredDocument[] {
    const judged = confidence(q, ranking, { ...calibration(), size: view.size });
    return ranking.candidates.map(({ document, cosine }, place) => {
      const { score = 0, chance = 0 } = judged[place] ?? {};
      return { document, score, chance, cosine };
    });
  }

  return {
    rank(q, options) {
      const ranking = ranker.rank(q, options);
      const { candidates, shown } = ranking;
      const all = judge(q, ranking);
      return { all, shown: shown === candidates ? all : judge(q, { ...ranking, candidates: shown }) };
    },
    intentsOf: ranker.intentsOf,
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
  /** The search of a view, created once for it: what a query needs beside the index is kept as long as the view. */
  of(view: IndexView): Search;
}

export function createSearches(knowledge: RankingKnowledge = {}): Searches {
  const rankerOf = oncePerView((view) => createRanker(view, knowledge));
  const { of, ...calibrated } = keepCalibrated(rankerOf);
  const languages = keepLanguages();
  const confidence = createConfidence();
  return {
    async prepare(view) {
      await languages.ready();
      await calibrated.prepare(view);
    },
    async ready(view) {
      await languages.ready();
      await calibrated.ready(view);
    },
    async close() {
      languages.close();
      await calibrated.close();
    },
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
