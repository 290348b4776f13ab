import type { Database } from "./database.ts";

/** A database of years takes minutes. */
const MOST_MS = 3_600_000;
const FILLED = [
  "lines",
  "runs",
  "movements",
  "outputs",
  "accounts",
  "run_owners",
  "documents",
  "provider_files",
] as const;

/**
 * Counts what was written at once, so that questions are planned by it. Until then they go by guesses, since autovacuum comes to
 * a table a minute later and never to one that is divided. What cannot be counted is left to it.
 */
export async function analyze(database: Database): Promise<void> {
  try {
    const connection = await database.connect({ mostMs: MOST_MS });
    try {
      for (const table of FILLED) await connection.query(`analyze ${table}`);
    } finally {
      connection.close();
    }
  } catch {
    // Nothing is wrong without it but the time that questions take.
  }
}
