import type { IndexView } from "../../index/index-view.ts";
import type { WordVectors } from "../../vectors/word-vectors.ts";
import type { Ask, Expand } from "../query/ask.ts";
import type { AskedWord } from "../query/asked-words.ts";
import { type Candidate, fuse } from "./fuse.ts";
import { createGatherer, type Evidence } from "./gather.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "../weights/ranking-weights.ts";

/** What ranking knows beside the index; each may be absent. */
export interface RankingKnowledge {
  readonly weights?: RankingWeights | undefined;
  /** Those that the documents of the index were given vectors by. */
  readonly vectors?: WordVectors | undefined;
  /** What else to look for. */
  readonly expand?: Expand | undefined;
}

export interface RankOptions {
  /** At most this many, the best. */
  readonly limit: number;
  /** Leaves a document out before the limit is counted. */
  readonly accept?: ((document: number) => boolean) | undefined;
  /** Leaves a document out of what is shown, likewise. */
  readonly isHidden?: ((document: number) => boolean) | undefined;
}

/** A query's candidates, best first. */
export interface Ranking {
  readonly ask: Ask;
  /** Σ worth of the query's own words. */
  readonly asked: number;
  readonly candidates: readonly Candidate[];
  /** Those of a ranking without what is hidden, which has no place among them and no say in their order. */
  readonly shown: readonly Candidate[];
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
    rank(q, { limit, accept = () => true, isHidden }) {
      const gathered = gatherer.gather(q, { limit, accept, isHidden });
      const { ask, asked, found, shown } = gathered;
      const order = (some: readonly Evidence[]) =>
        fuse({ ...gathered, found: some }, weights, { compare: view.compare, limit });
      const candidates = order(found);
      return { ask, asked, candidates, shown: shown === found ? candidates : order(shown) };
    },
  };
}
