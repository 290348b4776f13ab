import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { analyseQuery, type QueryWord } from "../text/analyse-text.ts";
import { stemWord } from "../text/stem-word.ts";
import type { IndexedCatalog } from "./index/catalog-index.ts";
import type { IndexView } from "./index/index-view.ts";
import { rarity } from "./ranking/query/rarity.ts";

/** Saturation of BM25F: how quickly further occurrences of a word stop counting. */
const K = 1.4;

/** Shorter parts would be found in any random string of letters. */
const MIN_COMPOUND_PART = 4;

/**
 * Finds endpoints by keywords, best first (BM25F): those that have all of the words, or else those that have any. Equal
 * ones are ordered by whether they were tried at their providers, then by provider and path. There is no floor and no
 * limit: this is for browsing, and the result can be counted. docs/contract.md, "Browsing".
 */
export function searchKeywords(
  { entries, view }: Pick<IndexedCatalog, "entries" | "view">,
  q: string,
): readonly CatalogEntry[] {
  const words = analyseQuery(q);
  const hits = createHits(view.bound);
  for (const word of words) {
    eachMatch(view, word, hits.add);
    hits.endWord();
  }
  const all = hits.documents();
  const complete = all.filter((document) => hits.wordsOf(document) === words.length);
  const isTried = (document: number) => Number(entries[document]?.verified === true);
  return (complete.length > 0 ? complete : all)
    .sort((a, b) => hits.scoreOf(b) - hits.scoreOf(a) || isTried(b) - isTried(a) || view.compare(a, b))
    .flatMap((document) => entries[document] ?? []);
}

type AddMatch = (document: number, score: number) => void;

interface Hits {
  readonly add: AddMatch;
  /** What is added after this call belongs to the next word. */
  endWord(): void;
  /** The documents that were added. */
  documents(): number[];
  /** The number of words for which a document was added. */
  wordsOf(document: number): number;
  scoreOf(document: number): number;
}

/** Flat arrays, because a frequent word is in every third of a hundred thousand documents. */
function createHits(bound: number): Hits {
  const scores = new Float64Array(bound);
  const words = new Uint16Array(bound);
  const lastWord = new Uint16Array(bound);
  const found: number[] = [];
  let word = 1;
  return {
    add(document, score) {
      if (lastWord[document] === 0) found.push(document);
      if (lastWord[document] !== word) words[document] = (words[document] ?? 0) + 1;
      lastWord[document] = word;
      scores[document] = (scores[document] ?? 0) + score;
    },
    endWord() {
      word += 1;
    },
    documents: () => found,
    wordsOf: (document) => words[document] ?? 0,
    scoreOf: (document) => scores[document] ?? 0,
  };
}

/**
 * Documents that have the word, or any part of an identifier; for an unknown word, the two parts that it may be
 * composed of.
 */
function eachMatch(view: IndexView, { text, stems }: QueryWord, add: AddMatch): void {
  const known = stems.filter((stem) => view.documentsWith(stem) > 0);
  for (const stem of known) eachWithStem(view, stem, add);
  if (known.length === 0) eachWithCompound(view, text, add);
}

/** "timezones" → documents that have both "time" and "zones". */
function eachWithCompound(view: IndexView, word: string, add: AddMatch): void {
  for (let end = MIN_COMPOUND_PART; end <= word.length - MIN_COMPOUND_PART; end += 1) {
    const [head, tail] = [stemWord(word.slice(0, end)), stemWord(word.slice(end))];
    if (view.documentsWith(head) === 0 || view.documentsWith(tail) === 0) continue;
    const inHead = new Map<number, number>();
    let isFound = false;
    eachWithStem(view, head, (document, score) => inHead.set(document, score));
    eachWithStem(view, tail, (document, score) => {
      const before = inHead.get(document);
      if (before === undefined) return;
      isFound = true;
      add(document, before + score);
    });
    if (isFound) return;
  }
}

function eachWithStem(view: IndexView, stem: string, add: AddMatch): void {
  const worth = rarity(view.documentsWith(stem), view.size);
  for (const { shard, offset, dead } of view.shards) {
    const term = shard.termOf(stem);
    if (term < 0) continue;
    const end = shard.postingStarts[term + 1] ?? 0;
    for (let at = shard.postingStarts[term] ?? 0; at < end; at += 1) {
      const local = shard.postingDocuments[at] ?? 0;
      if (dead?.[local] === 1) continue;
      const weight = shard.postingWeights[at] ?? 0;
      add(local + offset, (worth * weight) / (K + weight));
    }
  }
}
