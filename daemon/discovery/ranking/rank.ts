import type { IndexView } from "../index/index-view.ts";
import type { WordVectors } from "../vectors/word-vectors.ts";
import type { Ask, AskedWord, Expansion } from "./ask.ts";
import { type Candidate, fuse } from "./fuse.ts";
import { createGatherer } from "./gather.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "./weights.ts";

/** What ranking knows beside the index; each may be absent. */
export interface RankingKnowledge {
  readonly weights?: RankingWeights | undefined;
  /** Those that the documents of the index were given vectors by. */
  readonly vectors?: WordVectors | undefined;
  /** What else to look for. */
  readonly expand?: ((q: string) => readonly Expansion[]) | undefined;
}

export interface RankOptions {
  /** At most this many, the best. */
  readonly limit: number;
  /** Leaves a document out before the limit is counted. */
  readonly accept?: ((document: number) => boolean) | undefined;
}

/** A query's candidates, best first. */
export interface Ranking {
  readonly ask: Ask;
  /** Σ worth of the query's own words. */
  readonly asked: number;
  readonly candidates: readonly Candidate[];
}

export interface Ranker {
  rank(q: string, options: RankOptions): Ranking;
  /** The query as `rank` reads it, and what a full match of each of its words is worth. */
  read(q: string): { readonly ask: Ask; readonly worthOf: (word: AskedWord) => number };
}

/** Ranks what one view of the index holds, one query after another. */
export function createRanker(view: IndexView, knowledge: RankingKnowledge = {}): Ranker {
  const { weights = RANKING_WEIGHTS, vectors, expand } = knowledge;
  const gatherer = createGatherer(view, { weights, vectors, expand });
  return {
    read: (q) => ({ ask: gatherer.read(q), worthOf: gatherer.worthOf }),
    rank(q, { limit, accept = () => true }) {
      const gathered = gatherer.gather(q, { limit, accept });
      const { ask, asked } = gathered;
      return { ask, asked, candidates: fuse(gathered, weights, view.compare).slice(0, limit) };
    },
  };
}
