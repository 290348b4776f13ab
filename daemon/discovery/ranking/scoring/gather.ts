import { analyseText } from "../../../text/analyse-text.ts";
import { dayNumber } from "../../../catalog/entries/covered-days.ts";
import type { EndpointShape } from "../../documents/endpoint-shape.ts";
import type { IndexView } from "../../index/index-view.ts";
import type { WordVectors } from "../../vectors/word-vectors.ts";
import { type Ask, createAskReading, type Expand } from "../query/ask.ts";
import { type AskedWord, isOwn } from "../query/asked-words.ts";
import { bestDocuments } from "../signals/best-documents.ts";
import type { TextEvidence } from "../signals/candidate-reader.ts";
import { clausesOf } from "../query/clauses.ts";
import { type Intents, joinIntents, readIntents } from "../query/intents.ts";
import { createEvidenceReading } from "../signals/evidence.ts";
import { createWordMatcher } from "../signals/match-words.ts";
import { createProviderEvidence, type ProviderEvidence } from "../signals/provider-evidence.ts";
import { fitShape, NO_SHAPE, type ShapeFit } from "../signals/shape-fit.ts";
import { type CosineOf, createSimilarity, providerCosine } from "../signals/similarity.ts";
import type { WordMatch } from "../signals/variety.ts";
import type { RankingWeights } from "../weights/ranking-weights.ts";

/** What is known about a document that a query may mean. */
export interface Evidence {
  readonly document: number;
  /** BM25F over all fields, the thesaurus included. */
  readonly matched: number;
  /** The share of the query's words that it has, by weight; 0 to 1. */
  readonly share: number;
  readonly text: TextEvidence;
  readonly provider: ProviderEvidence;
  /** Similarity in meaning, −1 to 1; 0 without vectors: to the query, to the nearest clause, and of its provider. */
  readonly cosine: number;
  readonly clauseCosine: number;
  readonly providerCosine: number;
  /** Identifies its provider: the same for all of its documents. */
  readonly group: number;
  readonly fit: ShapeFit;
}

/** A query with the documents that it may mean and the evidence for each, unordered. */
export interface Gathered {
  readonly ask: Ask;
  /** The weight of a full match of each word of `ask`. */
  readonly worths: Float64Array;
  /** The sum of the weights of the query's own words. */
  readonly asked: number;
  readonly found: readonly Evidence[];
  /**
   * The candidates without hidden documents, whose slots others have taken. The same array as `found` when nothing in
   * it is hidden.
   */
  readonly shown: readonly Evidence[];
  /** How well a document matches each word. */
  matchesOf(document: number): readonly WordMatch[];
}

export interface Gathering {
  readonly limit: number;
  readonly accept: (document: number) => boolean;
  /**
   * The accepted documents that `shown` leaves out; absent: none. In a large catalog it may be called for nearly every
   * document.
   */
  readonly isHidden?: ((document: number) => boolean) | undefined;
  /** What a document's endpoint takes, does and covers, where that is known. */
  readonly shapeOf?: ((document: number) => EndpointShape | undefined) | undefined;
  /** What other wordings of the same need want. */
  readonly beside?: readonly Intents[] | undefined;
  /** Words of other languages are not translated. */
  readonly asWritten?: boolean | undefined;
}

export interface GatheringKnowledge {
  readonly weights: RankingWeights;
  readonly vectors?: WordVectors | undefined;
  readonly expand?: Expand | undefined;
  /** The number of the current day since 1970; absent: that of the computer's clock. */
  readonly today?: (() => number) | undefined;
}

export interface Gatherer {
  gather(q: string, gathering: Gathering): Gathered;
  read(q: string): Ask;
  intentsOf(q: string): Intents;
  worthOf(word: AskedWord): number;
}

/** The number of documents found by meaning alone, in addition to those found by words. */
const SIMILAR = 100;
/** Documents with a lower cosine are unrelated to the query. */
const LEAST_COSINE = 0.2;

type Accept = Gathering["accept"];

/** Similarity in meaning to one query. */
interface Nearness {
  /** The documents nearest to it, whatever words they have. */
  nearest(accept: Accept): readonly number[];
  toQuery: CosineOf;
  toNearestClause: CosineOf;
  ofProvider: CosineOf;
}

const NOTHING_NEAR: Nearness = { nearest: () => [], toQuery: () => 0, toNearestClause: () => 0, ofProvider: () => 0 };

/** Searches one view of the index, for one query after another. */
export function createGatherer(
  view: IndexView,
  { weights, vectors, expand, today = dayNow }: GatheringKnowledge,
): Gatherer {
  const matchWords = createWordMatcher(view, weights.saturation);
  const readEvidence = createEvidenceReading(view);
  const similarity = createSimilarity(view);
  const read = createAskReading(view, {
    expand: weights.thesaurus === 0 ? undefined : expand,
    isWord: vectors && ((stem) => vectors.rowOf(stem) >= 0),
    weights,
  });
  const worthOf = (word: AskedWord) =>
    word.rarity * word.times ** weights.repetition * word.weight * (isOwn(word) ? 1 : weights.thesaurus);

  function nearnessTo(ask: Ask): Nearness {
    if (vectors === undefined || weights.similarity === 0) return NOTHING_NEAR;
    const vector = queryVector(vectors, ask.stems);
    if (vector.every((value) => value === 0)) return NOTHING_NEAR;
    const cosines = similarity.toAll(vector);
    const toQuery = (document: number) => cosines[document] ?? 0;
    const clauses = weights.clauseSimilarity === 0 ? [] : clausesOf(ask.text);
    const toClauses = clauses.map((clause) => similarity.toEach(queryVector(vectors, analyseText(clause))));
    return {
      nearest: (accept) => bestDocuments(view, cosines, { count: SIMILAR, above: LEAST_COSINE, accept }),
      toQuery,
      // A query with one clause is the same as its clause.
      toNearestClause: clauses.length < 2 ? toQuery : greatestOf(toClauses),
      ofProvider: (document) => providerCosine(view, cosines, document),
    };
  }

  return {
    read,
    worthOf,
    intentsOf: (q) => readIntents(read(q).english ?? q, today()),
    gather(q, { limit, accept, isHidden = () => false, shapeOf, beside = [], asWritten = false }) {
      const ask = read(q, { asWritten });
      const worths = Float64Array.from(ask.words, worthOf);
      const asked = ask.words.reduce((sum, word, place) => sum + (isOwn(word) ? (worths[place] ?? 0) : 0), 0);
      const matches = matchWords(ask.words, worths);
      const nearness = nearnessTo(ask);
      const providerOf = createProviderEvidence(view, matches.scores);
      const reader = readEvidence(ask, worths);
      const fitOf = createFitting(ask.english ?? q, { shapeOf, beside, today });
      const known = new Map<number, Evidence>();
      const evidenceOf = (document: number): Evidence => {
        const before = known.get(document);
        if (before !== undefined) return before;
        const text = reader.read(document);
        const evidence = {
          document,
          matched: matches.scores[document] ?? 0,
          share: asked === 0 ? 0 : text.covered / asked,
          text,
          provider: providerOf(document),
          cosine: nearness.toQuery(document),
          clauseCosine: nearness.toNearestClause(document),
          providerCosine: nearness.ofProvider(document),
          group: groupOf(view, document),
          fit: fitOf(document),
        };
        known.set(document, evidence);
        return evidence;
      };
      const findAccepted = (isAccepted: Accept): Evidence[] => {
        const matching = bestDocuments(view, matches.scores, { count: limit, above: 0, accept: isAccepted });
        return Array.from(new Set([...matching, ...nearness.nearest(isAccepted)]), evidenceOf);
      };
      try {
        const found = findAccepted(accept);
        const shown = found.some(({ document }) => isHidden(document))
          ? findAccepted((document) => !isHidden(document) && accept(document))
          : found;
        return { ask, worths, asked, found, shown, matchesOf: matches.of };
      } finally {
        reader.close();
      }
    },
  };
}

/** The number of the first document of its provider. */
function groupOf(view: IndexView, document: number): number {
  const { shard, offset } = view.partOf(document);
  return offset + (shard.groupStarts[shard.groups[document - offset] ?? 0] ?? 0);
}

interface Fitting {
  readonly shapeOf: Gathering["shapeOf"];
  readonly beside: readonly Intents[];
  readonly today: () => number;
}

function createFitting(q: string, { shapeOf, beside, today }: Fitting): (document: number) => ShapeFit {
  if (shapeOf === undefined) return () => NO_SHAPE;
  const day = today();
  const intents = joinIntents(readIntents(q, day), beside);
  return (document) => fitShape(intents, shapeOf(document), day);
}

function dayNow(): number {
  return dayNumber(Date.now());
}

function greatestOf(cosines: readonly CosineOf[]): CosineOf {
  return (document) => {
    let greatest = -1;
    for (const cosineOf of cosines) greatest = Math.max(greatest, cosineOf(document));
    return greatest;
  };
}

function queryVector(vectors: WordVectors, stems: readonly string[]): Float32Array {
  return vectors.queryVector(stems.map((stem) => ({ stems: [stem], weight: 1 })));
}
