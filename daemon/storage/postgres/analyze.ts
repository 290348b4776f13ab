import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";

/** A database of years takes minutes. */
const MOST_MS = 3_600_000;
/** What lines and their runs fill. */
export const LINE_TABLES = [
  "lines",
  "runs",
  "movements",
  "outputs",
  "accounts",
  "run_owners",
  "ended_resources",
] as const;
export const DOCUMENT_TABLES = ["documents", "provider_files"] as const;

export interface NotAnalyzed {
  readonly table: string;
  readonly error: unknown;
}

/**
 * Counts what was written at once, so that questions are planned by it. Until then they go by guesses, since autovacuum comes to
 * a table a minute later and never to one that is divided. Nothing is wrong without it but the time that questions take: so it
 * does not reject, and resolves with the tables that were left out, and why.
 */
export async function analyze(
  database: Database,
  tables: typeof LINE_TABLES | typeof DOCUMENT_TABLES,
): Promise<readonly NotAnalyzed[]> {
  let connection: Connection;
  try {
    connection = await database.connect({ mostMs: MOST_MS });
  } catch (error) {
    return tables.map((table) => ({ table, error }));
  }
  const left: NotAnalyzed[] = [];
  try {
    for (const table of tables) {
      try {
        await connection.query(`analyze ${table}`);
      } catch (error) {
        left.push({ table, error });
      }
    }
  } finally {
    connection.close();
  }
  return left;
}
