import { bookFromJson, bookToJson } from "../book/book-json.ts";
import { takeEnded } from "../book/resources-book.ts";
import type { OpenRun } from "../open-runs.ts";
import type { StateBefore, StoreState } from "../store-state.ts";
import type { Queries } from "./connection.ts";
import type { Database } from "./database.ts";

/**
 * Rises when a book gets members that an older daemon would lose, or loses some. It then passes the snapshot over and takes one of
 * its own version, or reads the lines. Version 2 has resources that have ended, which the lines have.
 */
const VERSION = 3;
const READABLE = [2, VERSION] as const;
const KEPT = 2;

/** The newest line that this daemon has settled; `batch` is empty before the first. */
export interface Seen {
  readonly n: number;
  readonly month: number;
  readonly batch: string;
}

export interface FoundSnapshot {
  readonly seen: Seen;
  readonly before: StateBefore;
}

interface Content {
  readonly seen: Seen;
  readonly book: unknown;
  readonly open: readonly OpenRun[];
}

/** What all lines up to `seen` made, as text. */
export function encodeState(state: StoreState, seen: Seen): string {
  const content: Content = { seen, book: bookToJson(state.book), open: state.runs.list() };
  return JSON.stringify(content);
}

/** The newest snapshot that this daemon can read. One is never the only place of anything. */
export async function readSnapshot(database: Database): Promise<FoundSnapshot | undefined> {
  // One at a time, since they may be large.
  for (let offset = 0; offset < KEPT; offset += 1) {
    const [row] = await database.query<{ body: string }>(
      "select body from snapshots where version = any($1) order by n desc limit 1 offset $2",
      [READABLE, offset],
    );
    if (row === undefined) return undefined;
    const found = decodeState(row.body);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Numbers of the lines of all snapshots that this version can read, the oldest first. */
export async function snapshotsOf(queries: Queries): Promise<number[]> {
  const rows = await queries.query<{ n: number }>("select n from snapshots where version = any($1) order by n", [
    READABLE,
  ]);
  return rows.map(({ n }) => n);
}

/** Undefined: it cannot be read. */
export async function readSnapshotAt(queries: Queries, n: number): Promise<FoundSnapshot | undefined> {
  const [row] = await queries.query<{ body: string }>("select body from snapshots where n = $1", [n]);
  return row === undefined ? undefined : decodeState(row.body);
}

/** Number of the line of the newest snapshot; 0 when there is none. */
export async function newestSnapshot(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number | null }>(
    "select max(n) as n from snapshots where version = any($1)",
    [READABLE],
  );
  return row?.n ?? 0;
}

/** Removes all but the newest two of this version; those of others belong to daemons that are being replaced. */
export async function writeSnapshot(database: Database, n: number, body: string): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.query("insert into snapshots (n, version, body) values ($1, $2, $3) on conflict do nothing", [
      n,
      VERSION,
      body,
    ]);
    await queries.query(
      `delete from snapshots where version <= $1
       and n < (select min(n) from (select n from snapshots where version = $1 order by n desc limit $2) as newest)`,
      [VERSION, KEPT],
    );
  });
}

/** Undefined when it is of another shape than this version's. */
function decodeState(body: string): FoundSnapshot | undefined {
  try {
    const { seen, book, open } = JSON.parse(body) as Content;
    // Two books that share nothing: one of them will run ahead of the other.
    const durable = bookFromJson(book);
    const taken = bookFromJson(structuredClone(book));
    for (const one of [durable, taken]) takeEnded(one.resources);
    return { seen, before: { durable, taken, openRuns: open } };
  } catch {
    return undefined;
  }
}
