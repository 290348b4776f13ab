import { analyseText, type QueryWord, readQuery, type WrittenQuery } from "../../../text/analyse-text.ts";
import { inEnglish, type InEnglish } from "../../../text/languages/in-english.ts";
import { searchFields } from "../../documents/search-document.ts";
import type { IndexView } from "../../index/index-view.ts";
import { fieldTermsOf } from "../../index/shard/shard.ts";
import { type AskedWord, type AskedWords, createAskedWords, partsOf } from "./asked-words.ts";
import { type Mended, mendSpelling } from "./spelling.ts";
import { withoutOpaqueForms, writtenForms } from "./written-forms.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "../weights/ranking-weights.ts";

/** A query in the terms of an index. */
export interface Ask {
  /** The text as it was read, with typing errors corrected. */
  readonly text: string;
  /** The text in English, if it is in another language that discovery understands. */
  readonly english?: string;
  /** Each once; the query's own words come first, then those that stand for others. */
  readonly words: readonly AskedWord[];
  /** The places of the query's words in `words`, in the order of the text; −1 for a word that no document has. */
  readonly sequence: readonly number[];
  /** Stems that no document has, each once. Names and numbers are left out, because they are arguments. */
  readonly unknown: readonly string[];
  /**
   * The query's stems that are not stop words, with repeats, and those that its opening asks for: the input for its
   * meaning.
   */
  readonly stems: readonly string[];
}

/** A word that is searched in addition to those of the query. */
export interface AddedWord {
  readonly stem: string;
  /** The word of the query that it stands for. */
  readonly from: string;
  /** Above 0 and below 1. */
  readonly weight: number;
  /** "form": the kind of thing that its writing tells; "opening": applies only when the rest of the query consists of names: "who was Ada Lovelace". */
  readonly by: "opening" | "form" | "thesaurus";
}

/** Finds the additional words to search for. */
export type Expand = (query: WrittenQuery) => readonly AddedWord[];

export interface AskKnowledge {
  readonly expand?: Expand | undefined;
  /** Whether a stem is a word of the language; without it no typing errors are corrected. */
  readonly isWord?: ((stem: string) => boolean) | undefined;
  readonly weights?: Pick<RankingWeights, "argument" | "slip">;
}

/** `asWritten`: words of other languages are not translated. */
export type ReadAsk = (q: string, options?: { readonly asWritten?: boolean }) => Ask;

/** Thesaurus words have full weight for a query of up to this many words; a longer one needs them less. */
const SHORT = 10;

/** The weight of a translated word: a word of the query itself, if the catalog has it, says more. */
const TRANSLATED = 0.9;

/** Reads queries in the terms of a view, one after another. */
export function createAskReading(
  view: IndexView,
  { expand = () => [], isWord, weights = RANKING_WEIGHTS }: AskKnowledge = {},
): ReadAsk {
  const providerNames = stemsOfProviderNames(view);
  const read = (mended: Mended) => readWords({ view, providerNames, expand, weights, ...mended });
  // Its typing errors stay: words of another language would be taken for errors in English ones.
  const readTranslated = (translation: InEnglish) => ({
    ...readWords({ view, providerNames, expand, weights, text: translation.text, typed: new Map(), translation }),
    english: translation.text,
  });
  return (q, { asWritten = false } = {}) => {
    const translation = asWritten ? undefined : inEnglish(q, isWord);
    if (translation !== undefined) return readTranslated(translation);
    const ask = read({ text: q, typed: new Map() });
    if (isWord === undefined || weights.slip === 0 || ask.unknown.length === 0) return ask;
    const mended = mendSpelling(q, {
      isUnknown: (stem) => !isWord(stem) && ask.unknown.includes(stem),
      documentsWith: (stem) => (isWord(stem) ? view.documentsWith(stem) : 0),
    });
    return mended === undefined ? ask : read(withoutWritten(mended, ask));
  };
}

/** If the query also has the correct word, it has full weight and is not reported as a correction. */
function withoutWritten({ text, typed }: Mended, { words }: Ask): Mended {
  const written = new Set(words.flatMap(({ stem, by }) => (by === undefined ? stem : [])));
  return { text, typed: new Map([...typed].filter(([meant]) => !written.has(meant))) };
}

interface Reading extends Mended {
  readonly view: IndexView;
  readonly providerNames: ReadonlySet<string>;
  readonly expand: Expand;
  readonly weights: Pick<RankingWeights, "argument" | "slip">;
  /** Where the text comes from, if it was translated. */
  readonly translation?: InEnglish;
}

function readWords(reading: Reading): Ask {
  const { view, text, expand, translation } = reading;
  const query = readQuery(withoutOpaqueForms(text));
  const { words } = query;
  const expansions = expand(query);
  const asked = createAskedWords(view);
  for (const word of words) askFor(asked, word, reading);
  // Manifests may be written in the language of the query.
  for (const written of translation?.originals ?? []) {
    for (const stem of analyseText(written)) asked.lookFor(stem, { written, weight: 1 });
  }
  for (const { text: written, stems } of words) lookForParts(asked, written, { stems, view });
  const own = words.flatMap(({ stems }) => stems);
  const sequence = own.map(asked.placeOf);
  const ofOpening = areNames(words, asked) ? expansions.filter(isOfOpening) : [];
  for (const each of ofOpening) lookForOther(asked, each, each.weight);
  const stems = [...own, ...ofOpening.map(({ stem }) => stem)];
  const share = Math.min(1, SHORT / stems.length);
  for (const each of kindsWritten(text)) lookForOther(asked, each, each.weight);
  for (const each of expansions) if (!isOfOpening(each)) lookForOther(asked, each, each.weight * share);
  return { text, words: asked.words, sequence, unknown: [...asked.unknown], stems };
}

/** What the things in a query are called whose writing tells their kind. */
function kindsWritten(text: string): AddedWord[] {
  return writtenForms(text).flatMap(({ written, called, weight }) =>
    called.flatMap(analyseText).map((stem) => ({ stem, from: written, weight, by: "form" as const })),
  );
}

function isOfOpening({ by }: AddedWord): boolean {
  return by === "opening";
}

/** An unknown word counts as a name, because names are often written in lower case. */
function areNames(words: readonly QueryWord[], { unknown }: AskedWords): boolean {
  return words.length > 0 && words.every(({ isName, stems }) => isName || stems.every((stem) => unknown.has(stem)));
}

/** A name or a number is an argument of the request ("Lisbon"), unless the name is a provider's. */
function askFor(asked: AskedWords, word: QueryWord, { typed, providerNames, weights, translation }: Reading): void {
  const { text, stems, isName } = word;
  const isArgument = isName || isNumber(text);
  const known = stems.filter((stem) => {
    const slip = typed.get(stem);
    if (slip !== undefined) return asked.ask(stem, { written: slip, weight: weights.slip, by: "spelling" });
    const weight = isArgument && !providerNames.has(stem) ? weights.argument : 1;
    const foreign = translation?.translated.get(stem);
    if (translation === undefined || foreign === undefined) return asked.ask(stem, { written: text, weight });
    return asked.ask(stem, { written: foreign, weight: weight * TRANSLATED, by: translation.language });
  });
  // A whole identifier is nearly always unknown: only its parts count. And an argument is not a subject.
  if (isArgument || (stems.length > 1 && known.length > 0)) asked.forget(stems);
}

function isNumber(word: string): boolean {
  return /^\p{N}/u.test(word);
}

function lookForParts(
  asked: AskedWords,
  written: string,
  { stems, view }: { readonly stems: readonly string[]; readonly view: IndexView },
): void {
  if (!stems.some((stem) => asked.unknown.has(stem))) return;
  const parts = partsOf(view, written);
  for (const part of parts) asked.lookFor(part, { written, weight: 1, by: "parts" });
  if (parts.length > 0) asked.forget(stems);
}

function lookForOther(asked: AskedWords, { stem, from, by }: AddedWord, weight: number): void {
  const isKnown = asked.lookFor(stem, { written: from, weight, by });
  // A word that the thesaurus can translate is not unknown.
  if (isKnown) asked.forget(analyseText(from));
}

const PROVIDER = searchFields.indexOf("provider");

/** The stems of providers' names. */
function stemsOfProviderNames({ shards }: IndexView): ReadonlySet<string> {
  return new Set(
    shards.flatMap(({ shard }) => {
      const terms = new Set<number>();
      for (const first of shard.groupStarts.subarray(0, shard.groupNames.length)) {
        if (first < shard.size) for (const term of fieldTermsOf(shard, first, PROVIDER)) terms.add(term);
      }
      return Array.from(terms, shard.stemOf);
    }),
  );
}
