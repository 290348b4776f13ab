import type { DiscoverExplanation } from "../../../shared/contract/discovery.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { analyseText } from "../../text/analyse-text.ts";
import { FIELD_WEIGHTS, occurrenceWorth } from "../documents/field-weights.ts";
import type { IndexView } from "../index/index-view.ts";
import { type SearchField, searchFields, toSearchDocument } from "../documents/search-document.ts";

type Words = Pick<DiscoverExplanation, "words" | "expanded">;

/** A term that is searched for a word of the query. */
export interface LookedFor {
  /** The word as the caller wrote it, folded. */
  readonly word: string;
  readonly form: string;
  /** The weight of a full match. */
  readonly worth: number;
  /** How it was derived from the word; absent for the word's own stem. */
  readonly by?: Words["expanded"][number]["by"];
}

/**
 * What an endpoint has of what was looked for, field by field; the weights add up to what its words are worth by BM25F:
 *
 *   Σ worth · tf / (k + tf)   with   tf = Σ over fields of what its occurrences are worth there
 */
export function createExplainer(
  { view, k }: { readonly view: IndexView; readonly k: number },
  lookedFor: readonly LookedFor[],
): (entry: CatalogEntry) => Words {
  const meanLengths = view.shards[0]?.shard.meanLengths ?? [];
  // Names are often the same in both languages: "berlin → berlin" would explain nothing.
  const shown = lookedFor.map(({ by, ...each }) =>
    by === undefined || each.form === each.word ? each : { ...each, by },
  );
  return (entry) => {
    const fields = readFields(entry, meanLengths);
    const words = shown
      .filter(({ form }) => fields.some(({ counts }) => counts.has(form)))
      .flatMap((each) => placesOf(each, fields, k));
    return { words: words.sort((a, b) => b.weight - a.weight), expanded: expansionsOf(shown, words) };
  };
}

interface FieldWords {
  readonly field: SearchField;
  readonly counts: ReadonlyMap<string, number>;
  /** The weight of one occurrence. */
  readonly norm: number;
}

function readFields(entry: CatalogEntry, meanLengths: ArrayLike<number>): FieldWords[] {
  const document = toSearchDocument(entry);
  return searchFields.map((field, place) => {
    const stems = analyseText(document[field]);
    const counts = new Map<string, number>();
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const sizes = { field: place, length: stems.length, meanLength: meanLengths[place] ?? 1 };
    return { field, counts, norm: occurrenceWorth(FIELD_WEIGHTS, sizes) };
  });
}

/** The weight of a term, divided among the fields that have it. */
function placesOf({ word, form, worth, by }: LookedFor, fields: readonly FieldWords[], k: number): Words["words"] {
  const parts = fields.map(({ field, counts, norm }) => ({ field, tf: (counts.get(form) ?? 0) * norm }));
  const all = parts.reduce((sum, { tf }) => sum + tf, 0);
  return parts
    .filter(({ tf }) => tf > 0)
    .map(({ field, tf }) => ({
      word,
      field,
      weight: (worth * tf) / (k + all),
      ...(by !== undefined && { as: form }),
    }));
}

/** The matched terms that are not words of the query. */
function expansionsOf(lookedFor: readonly LookedFor[], words: Words["words"]): Words["expanded"] {
  const isFound = ({ word, form }: LookedFor) => words.some((found) => found.word === word && found.as === form);
  return lookedFor.flatMap((each) =>
    each.by !== undefined && isFound(each) ? [{ word: each.word, to: each.form, by: each.by }] : [],
  );
}
