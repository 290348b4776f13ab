import { open } from "node:fs/promises";
import { join } from "node:path";
import { Low } from "lowdb";
import { JSONFile } from "lowdb/node";

/*
 * Each contender makes two records of a run durable, one after the other, as it is made to be used: what `open` gives
 * takes a record's line and resolves when it is kept.
 */

/** Ours: lines of whoever waits go to the disk together, one fdatasync for all of them. */
export function journal(stores, { flushes }) {
  return async (folder) => {
    const store = await stores.openJournal(join(folder, "data"), { flushes });
    return { keep: (line) => store.commit({ line }), close: () => store.close() };
  };
}

/** Group commit and nothing else: the texts of all who wait go to one file together, then one fdatasync for all of them. */
export function groupCommit() {
  return async (folder) => {
    const file = await open(join(folder, "lines.ndjson"), "a");
    let waiting = [];
    let flushing;
    const flush = async () => {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await file.write(batch.map(({ text }) => text).join(""));
        await file.datasync();
        for (const { resolve } of batch) resolve();
      }
      flushing = undefined;
    };
    return {
      keep: (line) =>
        new Promise((resolve) => {
          waiting.push({ text: `${JSON.stringify(line)}\n`, resolve });
          flushing ??= flush();
        }),
      async close() {
        await flushing;
        await file.close();
      },
    };
  };
}

/** better-sqlite3 in WAL mode with synchronous=FULL, a transaction for each record. It waits in the thread that asks. */
export function sqlite(Database) {
  return async (folder) => {
    const { database, insert } = openSqlite(Database, folder);
    return {
      async keep(line) {
        insert.run(line.run, line.t, JSON.stringify(line));
      },
      close: () => database.close(),
    };
  };
}

/** The same, with the records of all who wait in one transaction. */
export function batchedSqlite(Database) {
  return async (folder) => {
    const { database, insert } = openSqlite(Database, folder);
    let waiting = [];
    const insertAll = database.transaction((batch) => {
      for (const { line } of batch) insert.run(line.run, line.t, JSON.stringify(line));
    });
    const flush = () => {
      const batch = waiting;
      waiting = [];
      insertAll(batch);
      for (const { resolve } of batch) resolve();
    };
    return {
      keep: (line) =>
        new Promise((resolve) => {
          if (waiting.push({ line, resolve }) === 1) setImmediate(flush);
        }),
      close: () => database.close(),
    };
  };
}

function openSqlite(Database, folder) {
  const database = new Database(join(folder, "runs.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(
    "CREATE TABLE lines (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, line TEXT NOT NULL)",
  );
  database.exec("CREATE INDEX lines_run ON lines (run)");
  return { database, insert: database.prepare("INSERT INTO lines (run, type, line) VALUES (?, ?, ?)") };
}

/** lowdb with its stock file adapter: the whole document is written each time, and never flushed. Begins with `runs` runs. */
export function lowdb(stores, runs) {
  return async (folder) => {
    const low = new Low(new JSONFile(join(folder, "runs.json")), { lines: {} });
    for (let run = 0; run < runs; run += 1) low.data.lines[`before-${run}`] = stores.doneLine(`before-${run}`);
    await low.write();
    return {
      async keep(line) {
        low.data.lines[line.run] = line;
        await low.write();
      },
      async close() {},
    };
  };
}
