import { LeaseLost, StorageAway, StorageFailed } from "../../ledger/transaction/commit-errors.ts";

/** This daemon was declared dead, and others have its runs: it must not write any more. docs/storage.md, "One writer". */
export class DaemonFenced extends LeaseLost {
  constructor(daemonId: string) {
    super(
      `Other daemons have taken over the runs of this one (${daemonId}), which was silent for too long; it stops writing`,
    );
  }
}

/** The database is not the one that this daemon has read: lines that it read are gone, or others stand in their place. */
export class DatabaseWentBack extends StorageFailed {
  constructor(shown: string, n: number) {
    super(
      `The database ${shown} has lost what it acknowledged: line ${n} is gone or another one. It was restored, or failed over to a host that was behind. Restart the daemon to read it again`,
    );
  }
}

/** Lines of the database do not follow, or cannot be read. docs/storage.md, P4. */
export class DatabaseCorrupt extends StorageFailed {
  constructor(shown: string, why: string, cause?: unknown) {
    super(`The database ${shown} is damaged: ${why}. Nothing was changed. Restore it from a backup`, { cause });
  }
}

/** The tables are of another version of mkt, or cannot be made. The message says what to do. */
export class SchemaUnknown extends Error {
  override readonly name = "SchemaUnknown";
}

/** The connection is gone, and with it the transaction; what was sent may have been done. */
const SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/*
 * SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
 *   08      connection exceptions       57      the server stops, starts, or somebody ended the session or its statement
 *   25006   a host that takes no writes 25P03   the session stood still in a transaction for too long
 *   53      no room, no memory, too many connections
 */
const STATES = /^(?:08|57|53|25006$|25P03$)/;
const TEXTS =
  /Connection terminated|Client has encountered a connection error|timeout expired|Query read timeout|not queryable/;

/** True for an error after which the same may succeed with another connection. */
export function isAway(error: unknown): boolean {
  if (error instanceof StorageAway) return true;
  if (!(error instanceof Error)) return false;
  const code = sqlStateOf(error);
  if (SYSTEM_CODES.has(code) || STATES.test(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isAway);
  return TEXTS.test(error.message);
}

/**
 * The database refused what a row says, and will again: a check or a unique index (class 23), a text or number that a column
 * cannot have (22), or a limit such as the length of what an index holds (54).
 */
export function isRowRefused(error: unknown): boolean {
  return /^(?:22|23|54)/.test(sqlStateOf(error));
}

/** Name of the constraint that refused a row; empty when it was none. */
export function constraintOf(error: unknown): string {
  return error instanceof Error && "constraint" in error && typeof error.constraint === "string"
    ? error.constraint
    : "";
}

/** A deadlock, or a lock that was waited for too long: the transaction may be tried again. */
export function isLockError(error: unknown): boolean {
  return ["40001", "40P01", "55P03"].includes(sqlStateOf(error));
}

/** The server, the database or the role has as many connections as it may have. */
export function isFull(error: unknown): boolean {
  return sqlStateOf(error instanceof StorageAway ? error.cause : error) === "53300";
}

/** Or the code of an error of the system; empty when it has none. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
