import fc from "fast-check";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import type { IndexedDocument } from "../../../daemon/discovery/index/shard/forward-index.ts";
import type { IndexView } from "../../../daemon/discovery/index/index-view.ts";
import { type SearchDocument, searchFields } from "../../../daemon/discovery/documents/search-document.ts";

const VOCABULARY = [
  "rain",
  "raining",
  "weather",
  "getWeather",
  "Tokyo",
  "price",
  "oauth2",
  "the",
  "Köln",
  "天気",
  "a-b",
];

const line = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 5 }).map((words) => words.join(" "));
const text = fc.array(line, { maxLength: 3 }).map((lines) => lines.join("\n"));

export const anyFields = fc.record(
  Object.fromEntries(searchFields.map((field) => [field, text])),
) as fc.Arbitrary<SearchDocument>;

const place = fc.record({
  provider: fc.constantFrom("ants", "bees", "crows"),
  path: fc.constantFrom("/a", "/b", "/a/b"),
});

/** Documents of three providers, each with a place of its own. */
export const anyDocuments: fc.Arbitrary<IndexedDocument[]> = fc.uniqueArray(
  fc.record({ place, fields: anyFields }).map(({ place: at, fields }) => ({ ...at, fields })),
  { selector: ({ provider, path }) => `${provider}${path}`, maxLength: 9 },
);

export interface MadeUpEndpoint {
  readonly provider: string;
  readonly path: string;
  readonly description: string;
}

/** As much of an entry as the index reads. */
export function madeUpEntry({ provider, path, description }: MadeUpEndpoint): CatalogEntry {
  return {
    provider: { provider, displayName: provider },
    path,
    displayName: "",
    description,
    asks: [],
    tags: [],
    categories: [],
    input: {},
  } as unknown as CatalogEntry;
}

/** Which endpoint a document of a view is. */
export function keyOf(view: IndexView, document: number): string {
  const { provider, path } = view.placeOf(document);
  return `${provider}\n${path}`;
}

/** `count` endpoints of one provider whose descriptions are the word. */
export function entriesOf(word: string, count: number, provider = "shop"): CatalogEntry[] {
  return Array.from({ length: count }, (_, number) =>
    madeUpEntry({ provider, path: `/${word}/${String(number).padStart(6, "0")}`, description: `${word} ${number}` }),
  );
}
