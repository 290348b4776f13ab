import sqlite from "node-sqlite3-wasm";

/** All rows of a table of a database, in the order of their numbers. */
export function rowsOfTable(path: string, table = "results"): Record<string, unknown>[] {
  const database = new sqlite.Database(path, { fileMustExist: true });
  try {
    return database.all(`SELECT * FROM "${table}" ORDER BY "index"`);
  } finally {
    database.close();
  }
}
