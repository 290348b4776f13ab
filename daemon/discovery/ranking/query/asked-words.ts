import { stemWord } from "../../../text/stem-word.ts";
import type { IndexView } from "../../index/index-view.ts";
import type { QueryLanguage } from "../../../text/languages/query-languages.ts";
import { rarity } from "./rarity.ts";

/** A word of a query that the index knows. */
export interface AskedWord {
  readonly stem: string;
  /** As the caller wrote it, folded. */
  readonly written: string;
  /** The weight of having it: ln(1 + (N − n + ½) / (n + ½)) with n of N documents that have it. */
  readonly rarity: number;
  /** How often the query has it. */
  readonly times: number;
  /** 1 for a word of the query; less for a name, a corrected word, and a word that stands for another. */
  readonly weight: number;
  /**
   * Where it comes from, unless it is literally in the query: part of a compound word, a corrected typing error, the
   * query's opening, the kind of thing that its writing tells, the thesaurus, a word of another language.
   */
  readonly by?: "parts" | "spelling" | "opening" | "form" | "thesaurus" | QueryLanguage;
}

/** Whether the query has it itself. */
export function isOwn({ by }: AskedWord): boolean {
  return by !== "thesaurus" && by !== "form";
}

type Provenance = Pick<AskedWord, "written" | "weight" | "by">;

/** The words of a query, collected one after another. */
export interface AskedWords {
  /** Each once, in the order in which they were added. */
  readonly words: readonly AskedWord[];
  /** Stems that no document has. */
  readonly unknown: ReadonlySet<string>;
  /** The place of a stem among the words; −1 when it is not searched for. */
  placeOf(stem: string): number;
  /** Adds a word of the query; a repeated one counts once more. Returns whether a document has it. */
  ask(stem: string, provenance: Provenance): boolean;
  /** Adds a word that stands for others, unless it is already there. Returns whether a document has it. */
  lookFor(stem: string, provenance: Provenance): boolean;
  /** Removes these from the unknown stems. */
  forget(stems: readonly string[]): void;
}

/** Further different words of a query are ignored. */
const MOST_WORDS = 200;

export function createAskedWords(view: IndexView): AskedWords {
  const words: AskedWord[] = [];
  const places = new Map<string, number>();
  const unknown = new Set<string>();

  function lookFor(stem: string, provenance: Provenance): boolean {
    if (places.has(stem)) return true;
    const having = view.documentsWith(stem);
    if (having === 0) return false;
    places.set(stem, words.length);
    words.push({ stem, rarity: rarity(having, view.size), times: 1, ...provenance });
    return true;
  }

  return {
    words,
    unknown,
    placeOf: (stem) => places.get(stem) ?? -1,
    lookFor,
    ask(stem, provenance) {
      const place = places.get(stem) ?? -1;
      const known = words[place];
      if (known !== undefined) {
        words[place] = { ...known, times: known.times + 1, weight: Math.max(known.weight, provenance.weight) };
        return true;
      }
      if (words.length === MOST_WORDS) return view.documentsWith(stem) > 0;
      const isKnown = lookFor(stem, provenance);
      if (!isKnown) unknown.add(stem);
      return isKnown;
    },
    forget(stems) {
      for (const stem of stems) unknown.delete(stem);
    },
  };
}

/** Shorter parts would be found in any random string of letters. */
const MIN_PART = 4;

/** "timezones" → "time" and "zone", if documents have both; empty when no such pair is known. */
export function partsOf(view: IndexView, word: string): readonly string[] {
  if (!/^[a-z]+$/.test(word)) return [];
  for (let end = MIN_PART; end <= word.length - MIN_PART; end += 1) {
    const parts = [stemWord(word.slice(0, end)), stemWord(word.slice(end))];
    if (parts.every((part) => view.documentsWith(part) > 0)) return parts;
  }
  return [];
}
