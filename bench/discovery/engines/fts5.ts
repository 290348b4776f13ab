import { searchFields } from "../../../daemon/discovery/documents/search-document.ts";
import { STOP_WORDS } from "../../../daemon/text/stop-words.ts";
import type { BuildEngine, Engine } from "./engine.ts";
import { loadSqlite } from "./packages.ts";

/** SQLite FTS5 in memory with its Porter tokenizer: each field a column, words joined by OR, ranked by its bm25(). */
export const buildFts5: BuildEngine = (documents) => build(documents, () => true);

/** The same, stop words taken out of the query: FTS5 has none of its own. */
export const buildFts5WithStopWords: BuildEngine = (documents) => build(documents, (word) => !STOP_WORDS.has(word));

async function build(documents: Parameters<BuildEngine>[0], isAsked: (word: string) => boolean): Promise<Engine> {
  const Database = await loadSqlite();
  const database = new Database(":memory:");
  const columns = searchFields.map((field) => `"${field}"`).join(", ");
  database.exec(`CREATE VIRTUAL TABLE documents USING fts5(${columns}, tokenize = "porter unicode61")`);
  const insert = database.prepare(
    `INSERT INTO documents (rowid, ${columns}) VALUES (?, ${searchFields.map(() => "?").join(", ")})`,
  );
  database.exec("BEGIN");
  let id = 0;
  for (const { fields } of documents) {
    insert.run(id, ...searchFields.map((field) => fields[field]));
    id += 1;
  }
  database.exec("COMMIT");
  const find = database.prepare("SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?");
  return {
    search(query, limit) {
      const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(isAsked);
      if (words.length === 0) return [];
      return find.all(words.map((word) => `"${word}"`).join(" OR "), limit).map(({ rowid }) => Number(rowid));
    },
    outsideBytes: () => pragma("page_count") * pragma("page_size"),
    close: () => database.close(),
  };

  function pragma(name: string): number {
    return Number(database.pragma(name, { simple: true }));
  }
}
