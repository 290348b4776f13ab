import { searchFields } from "../../../daemon/discovery/documents/search-document.ts";
import type { BuildEngine } from "./engine.ts";
import { loadOrama } from "./packages.ts";

/** As it comes: each field a field, full-text mode, its own tokenizer and ranking. */
export const buildOrama: BuildEngine = async (documents) => {
  const orama = await loadOrama();
  const schema = Object.fromEntries(searchFields.map((field) => [field, "string" as const]));
  const database = orama.create({ schema });
  let id = 0;
  const numbered = [];
  for (const { fields } of documents) {
    numbered.push({ id: String(id), ...fields });
    id += 1;
  }
  await orama.insertMultiple(database, numbered);
  return {
    async search(query, limit) {
      const { hits } = await orama.search(database, { term: query, limit });
      return hits.map((hit) => Number(hit.id));
    },
  };
};
