import { searchFields } from "../../../daemon/discovery/documents/search-document.ts";
import { stemWord } from "../../../daemon/text/stem-word.ts";
import { STOP_WORDS } from "../../../daemon/text/stop-words.ts";
import type { BuildEngine, Engine } from "./engine.ts";
import { loadMiniSearch, type MiniSearchOptions } from "./packages.ts";

/** As it comes: each field a field, words joined by OR. */
export const buildMiniSearch: BuildEngine = (documents) => build(documents, {});

/** As somebody who knows it would set it up: identifiers split, stop words left out, Porter stems, boosts by field. */
export const buildConfiguredMiniSearch: BuildEngine = (documents) =>
  build(documents, {
    tokenize: splitIdentifiers,
    processTerm: (term) => {
      const word = term.toLowerCase();
      return STOP_WORDS.has(word) ? false : stemWord(word);
    },
    searchOptions: {
      boost: { name: 3, asks: 2, path: 1.5, tags: 1, categories: 1, description: 1.5, provider: 1.5, parameters: 0.5 },
    },
  });

async function build(
  documents: Parameters<BuildEngine>[0],
  options: Omit<MiniSearchOptions, "fields">,
): Promise<Engine> {
  const MiniSearch = await loadMiniSearch();
  const index = new MiniSearch({ fields: searchFields, ...options });
  let id = 0;
  for (const { fields } of documents) {
    index.add({ id, ...fields });
    id += 1;
  }
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map((hit) => hit.id),
  };
}

/** `getUserName_2` → get, User, Name, 2. */
export function splitIdentifiers(text: string): string[] {
  return (
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
      .match(/\p{L}+|\p{N}+/gu) ?? []
  );
}
