import type { LookedFor } from "../explain-match.ts";
import type { IndexView } from "../index/index-view.ts";
import { createConfidence } from "./confidence.ts";
import { createRanker, type RankingKnowledge, type RankOptions } from "./rank.ts";

/** A document with its score: above 0 and below 2. */
export interface Scored {
  readonly document: number;
  readonly score: number;
  /** How near it is in meaning, −1 to 1; 0 without vectors. */
  readonly cosine: number;
}

/** Asks what one view of the index holds. */
export interface Search {
  /** Best first, with scores that mean the same in every catalog. */
  rank(q: string, options: RankOptions): readonly Scored[];
  /** What is looked for when this is asked. */
  lookFor(q: string): readonly LookedFor[];
}

export function createSearch(view: IndexView, knowledge: RankingKnowledge = {}): Search {
  const ranker = createRanker(view, knowledge);
  const calibration = view.segments.find(({ segment }) => Object.keys(segment.calibration).length > 0);
  const scoresOf = createConfidence(calibration?.segment.calibration ?? {});
  return {
    rank(q, options) {
      const ranking = ranker.rank(q, options);
      const scores = scoresOf(q, ranking);
      return ranking.candidates.map(({ document, cosine }, place) => ({ document, score: scores[place] ?? 0, cosine }));
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

/** The search of a view, made once for it: what a query needs beside the index is kept as long as the view is. */
export function createSearches(knowledge: RankingKnowledge = {}): (view: IndexView) => Search {
  const searches = new WeakMap<IndexView, Search>();
  return (view) => {
    const known = searches.get(view);
    if (known !== undefined) return known;
    const search = createSearch(view, knowledge);
    searches.set(view, search);
    return search;
  };
}
