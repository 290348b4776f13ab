import type { EndpointShape } from "../../documents/endpoint-shape.ts";
import type { IndexView } from "../../index/index-view.ts";
import type { WordVectors } from "../../vectors/word-vectors.ts";
import type { Ask, Expand } from "../query/ask.ts";
import type { Intents } from "../query/intents.ts";
import type { AskedWord } from "../query/asked-words.ts";
import { type Candidate, fuse } from "./fuse.ts";
import { createGatherer, type Evidence } from "./gather.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "../weights/ranking-weights.ts";

/** What ranking uses beside the index; each may be absent. */
export interface RankingKnowledge {
  readonly weights?: RankingWeights | undefined;
  /** The vectors that the documents of the index were made with. */
  readonly vectors?: WordVectors | undefined;
  /** Finds the additional words to search for. */
  readonly expand?: Expand | undefined;
  /** The number of the current day since 1970, which "tomorrow" is relative to; absent: that of the computer's clock. */
  readonly today?: (() => number) | undefined;
}

export interface RankOptions {
  /** At most this many, the best. */
  readonly limit: number;
  /** Documents that it rejects do not count towards the limit. */
  readonly accept?: ((document: number) => boolean) | undefined;
  /** Documents that are left out of `shown`, before the limit as well. */
  readonly isHidden?: ((document: number) => boolean) | undefined;
  /** What a document's endpoint takes, does and covers; absent: the order is by texts alone. */
  readonly shapeOf?: ((document: number) => EndpointShape | undefined) | undefined;
  /** What other wordings of the same need want: the place, time and language that only one of them names count for all. */
  readonly beside?: readonly Intents[] | undefined;
  /** Words of other languages are not translated. */
  readonly asWritten?: boolean | undefined;
}

/** A query's candidates, best first. */
export interface Ranking {
  readonly ask: Ask;
  /** The sum of the weights of the query's own words. */
  readonly asked: number;
  readonly candidates: readonly Candidate[];
  /** The ranking without hidden documents, which take no position and do not affect the order. */
  readonly shown: readonly Candidate[];
}

export interface Ranker {
  rank(q: string, options: RankOptions): Ranking;
  /** The query as `rank` reads it, and the weight of a full match of each of its words. */
  read(q: string): { readonly ask: Ask; readonly worthOf: (word: AskedWord) => number };
  intentsOf(q: string): Intents;
}

/** Ranks the documents of one view of the index, one query after another. */
export function createRanker(view: IndexView, knowledge: RankingKnowledge = {}): Ranker {
  const { weights = RANKING_WEIGHTS, vectors, expand, today } = knowledge;
  const gatherer = createGatherer(view, { weights, vectors, expand, today });
  return {
    read: (q) => ({ ask: gatherer.read(q), worthOf: gatherer.worthOf }),
    intentsOf: gatherer.intentsOf,
    rank(q, { limit, accept = () => true, ...options }) {
      const gathered = gatherer.gather(q, { ...options, limit, accept });
      const { ask, asked, found, shown } = gathered;
      const order = (some: readonly Evidence[]) =>
        fuse({ ...gathered, found: some }, weights, { compare: view.compare, limit });
      const candidates = order(found);
      return { ask, asked, candidates, shown: shown === found ? candidates : order(shown) };
    },
  };
}
