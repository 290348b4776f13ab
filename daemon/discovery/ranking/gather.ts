import { analyseText } from "../../text/analyse-text.ts";
import type { IndexView } from "../index/index-view.ts";
import type { WordVectors } from "../vectors/word-vectors.ts";
import { type Ask, type AskedWord, type Expansion, isOwn, readAsk } from "./ask.ts";
import { createBestOf } from "./best-of.ts";
import type { TextEvidence } from "./candidate-reader.ts";
import { clausesOf } from "./clauses.ts";
import { createEvidenceReading } from "./evidence.ts";
import { createWordMatcher, matchOf } from "./match-words.ts";
import { createProviderEvidence, type ProviderEvidence } from "./provider-evidence.ts";
import { createSimilarityScan, type Similarity } from "./similarity.ts";
import type { WordMatch } from "./variety.ts";
import type { RankingWeights } from "./weights.ts";

/** What is found out about a document that a query may mean. */
export interface Evidence {
  readonly document: number;
  /** BM25F over all fields, the thesaurus included. */
  readonly matched: number;
  /** The share of what the query asks for, by worth, that it has; 0 to 1. */
  readonly share: number;
  readonly text: TextEvidence;
  readonly provider: ProviderEvidence;
  /** Nearness in meaning, −1 to 1; 0 without vectors: to the query, to the clause that is nearest, of its provider. */
  readonly cosine: number;
  readonly clauseCosine: number;
  readonly providerCosine: number;
}

/** A query with what was found out about the documents that it may mean, in no order. */
export interface Gathered {
  readonly ask: Ask;
  /** What a full match of each word of `ask` is worth. */
  readonly worths: Float64Array;
  /** Σ worth of the query's own words. */
  readonly asked: number;
  readonly found: readonly Evidence[];
  /** How well a document matches each word. */
  matchesOf(document: number): readonly WordMatch[];
}

export interface Gathering {
  readonly limit: number;
  readonly accept: (document: number) => boolean;
}

export interface GatheringKnowledge {
  readonly weights: RankingWeights;
  readonly vectors?: WordVectors | undefined;
  readonly expand?: ((q: string) => readonly Expansion[]) | undefined;
}

export interface Gatherer {
  gather(q: string, gathering: Gathering): Gathered;
  read(q: string): Ask;
  worthOf(word: AskedWord): number;
}

/** Documents that come by meaning alone, beside those that come by words. */
const SIMILAR = 100;
/** What is less near has nothing of the query. */
const LEAST_COSINE = 0.2;

const NOTHING_SIMILAR = {
  nearest: [],
  cosineOf: () => 0,
  clauseCosineOf: () => 0,
  providerCosineOf: () => 0,
} as const;

/** Goes through what one view of the index holds, for one query after another. */
export function createGatherer(view: IndexView, { weights, vectors, expand }: GatheringKnowledge): Gatherer {
  const matchWords = createWordMatcher(view);
  const readEvidence = createEvidenceReading(view);
  const gatherProviders = createProviderEvidence(view);
  const scan = createSimilarityScan(view);
  const read = (q: string) => readAsk(view, q, weights.thesaurus === 0 ? undefined : expand);
  const worthOf = (word: AskedWord) =>
    word.rarity * word.times ** weights.repetition * word.weight * (isOwn(word) ? 1 : weights.thesaurus);

  function similarTo(q: string, ask: Ask, accept: (document: number) => boolean): SimilarDocuments {
    if (vectors === undefined || weights.similarity === 0) return NOTHING_SIMILAR;
    const vector = queryVector(vectors, ask.stems);
    if (vector.every((value) => value === 0)) return NOTHING_SIMILAR;
    const whole = scan(vector, SIMILAR, accept);
    const clauses = weights.clauseSimilarity === 0 ? [] : clausesOf(q);
    const byClause = clauses.map((clause) => scan(queryVector(vectors, analyseText(clause)), 0, accept));
    return { ...whole, clauseCosineOf: nearestOf(byClause, whole) };
  }

  return {
    read,
    worthOf,
    gather(q, { limit, accept }) {
      const ask = read(q);
      const matches = matchWords(ask.words, worthOf, weights.saturation);
      const best = createBestOf(limit, view.compare);
      for (const document of matches.found) {
        const score = matches.scores[document] ?? 0;
        if (best.isWorth(score) && accept(document)) best.offer(document, score);
      }
      const similar = similarTo(q, ask, accept);
      const nearest = similar.nearest.filter((document) => similar.cosineOf(document) >= LEAST_COSINE);
      const documents = new Set([...best.take().map(({ document }) => document), ...nearest]);

      const worths = Float64Array.from(ask.words, worthOf);
      const asked = ask.words.reduce((sum, word, place) => sum + (isOwn(word) ? (worths[place] ?? 0) : 0), 0);
      const providerOf = gatherProviders(matches);
      const reader = readEvidence(ask, worths);
      const found = Array.from(documents, (document): Evidence => {
        const text = reader.read(document);
        return {
          document,
          matched: matches.scores[document] ?? 0,
          share: asked === 0 ? 0 : text.covered / asked,
          text,
          provider: providerOf(document),
          cosine: similar.cosineOf(document),
          clauseCosine: similar.clauseCosineOf(document),
          providerCosine: similar.providerCosineOf(document),
        };
      });
      reader.close();
      const matchesOf = (document: number) =>
        ask.words.flatMap(({ stem }, word) => {
          const match = matchOf(view, document, stem, weights.saturation);
          return match > 0 ? { word, match } : [];
        });
      return { ask, worths, asked, found, matchesOf };
    },
  };
}

interface SimilarDocuments extends Similarity {
  clauseCosineOf(document: number): number;
}

function queryVector(vectors: WordVectors, stems: readonly string[]): Float32Array {
  return vectors.queryVector(stems.map((stem) => ({ stems: [stem], weight: 1 })));
}

/** A query of one clause is its clause. */
function nearestOf(clauses: readonly Similarity[], whole: Similarity): (document: number) => number {
  if (clauses.length < 2) return whole.cosineOf;
  return (document) => Math.max(...clauses.map(({ cosineOf }) => cosineOf(document)));
}
