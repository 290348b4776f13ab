import { analyseQuery, analyseText } from "../../text/analyse-text.ts";
import { stemWord } from "../../text/stem-word.ts";
import type { IndexView } from "../index/index-view.ts";
import { rarity } from "../rarity.ts";

/** A word of a query that the index knows. */
export interface AskedWord {
  readonly stem: string;
  /** As the caller wrote it, folded. */
  readonly written: string;
  /** How much having it says: ln(1 + (N − n + ½) / (n + ½)) with n of N documents that have it. */
  readonly rarity: number;
  /** How often the query has it. */
  readonly times: number;
  /** 1 for a word of the query; less for one that stands for it. */
  readonly weight: number;
  /** Where it comes from, unless the query has it as it stands: part of a word that was written together, or the thesaurus. */
  readonly by?: "parts" | "thesaurus";
}

/** A query in the terms of an index. */
export interface Ask {
  /** Each once, those of the query before those that stand for others. */
  readonly words: readonly AskedWord[];
  /** The places of the query's words in `words`, in the order of the text; −1 for a word that no document has. */
  readonly sequence: readonly number[];
  /** Stems that no document has, each once. */
  readonly unknown: readonly string[];
  /** The query's stems that are no stop words, repeats and all. */
  readonly stems: readonly string[];
}

/** A word that is looked for beside those of the query. */
export interface Expansion {
  readonly stem: string;
  /** The word of the query that it stands for. */
  readonly from: string;
  /** Above 0 and below 1. */
  readonly weight: number;
}

export function readAsk(view: IndexView, q: string, expand: (q: string) => readonly Expansion[] = () => []): Ask {
  const stems = analyseText(q);
  const written = writtenByStem(q);
  const places = new Map<string, number>();
  const words: AskedWord[] = [];
  const unknown = new Set<string>();
  for (const stem of stems) {
    const place = places.get(stem);
    const known = place === undefined ? undefined : words[place];
    if (place !== undefined && known !== undefined) {
      words[place] = { ...known, times: known.times + 1 };
      continue;
    }
    const worth = rarityOf(view, stem);
    if (worth === undefined) {
      unknown.add(stem);
      continue;
    }
    if (words.length === MOST_WORDS) continue;
    places.set(stem, words.length);
    words.push({ stem, written: written.get(stem) ?? stem, rarity: worth, times: 1, weight: 1 });
  }
  // Of an identifier the whole is unknown nearly always: its parts are what it says.
  for (const { stems: forms } of analyseQuery(q)) {
    if (forms.length > 1 && forms.some((form) => places.has(form))) for (const form of forms) unknown.delete(form);
  }
  for (const stem of unknown) {
    const parts = partsOf(view, written.get(stem) ?? stem);
    if (parts.length > 0) unknown.delete(stem);
    for (const part of parts) {
      const worth = rarityOf(view, part);
      if (worth === undefined || places.has(part)) continue;
      places.set(part, words.length);
      words.push({ stem: part, written: written.get(stem) ?? stem, rarity: worth, times: 1, weight: 1, by: "parts" });
    }
  }
  const sequence = stems.map((stem) => places.get(stem) ?? -1);
  for (const { stem, from, weight } of expand(q)) {
    const worth = rarityOf(view, stem);
    if (worth === undefined) continue;
    // What the thesaurus has a word for is known.
    for (const known of analyseText(from)) unknown.delete(known);
    if (places.has(stem)) continue;
    places.set(stem, words.length);
    words.push({
      stem,
      written: from,
      rarity: worth,
      times: 1,
      weight: weight * Math.min(1, SHORT / stems.length),
      by: "thesaurus",
    });
  }
  return { words, sequence, unknown: [...unknown], stems };
}

/** Whether the query says it itself. */
export function isOwn({ by }: AskedWord): boolean {
  return by !== "thesaurus";
}

function rarityOf(view: IndexView, stem: string): number | undefined {
  const having = view.documentsWith(stem);
  return having === 0 ? undefined : rarity(having, view.size);
}

/** A query of more different words is read as far as these. */
const MOST_WORDS = 200;
/** Words of the thesaurus count in full for a query of so many words; a longer one says more itself. */
const SHORT = 10;

/** Shorter parts would be found in any jumble of letters. */
const MIN_PART = 4;

/** "timezones" → "time" and "zone", where documents have both; none where no such pair is known. */
function partsOf(view: IndexView, word: string): string[] {
  if (!/^[a-z]+$/.test(word)) return [];
  for (let end = MIN_PART; end <= word.length - MIN_PART; end += 1) {
    const parts = [stemWord(word.slice(0, end)), stemWord(word.slice(end))];
    if (parts.every((part) => view.documentsWith(part) > 0)) return parts;
  }
  return [];
}

function writtenByStem(q: string): Map<string, string> {
  const written = new Map<string, string>();
  for (const word of analyseQuery(q))
    for (const stem of word.stems) if (!written.has(stem)) written.set(stem, word.text);
  return written;
}
