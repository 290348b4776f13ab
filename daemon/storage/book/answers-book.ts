import type { IdempotentAnswer } from "../../idempotency/idempotency-record.ts";
import type { Line } from "../../transaction.ts";

const KEPT_MS = 25 * 3_600_000;

/** Answers of requests with an Idempotency-Key that made something else than a run; runs are their own answer. */
export interface AnswersBook {
  /** By key hash, oldest first; `at` is the time of the line. */
  readonly byKey: Map<string, { readonly at: string; readonly answer: IdempotentAnswer }>;
}

export function emptyAnswersBook(): AnswersBook {
  return { byKey: new Map() };
}

/** Keeps the line's answer, and forgets those that are older than a day by the time of the line. */
export function applyAnswer(book: AnswersBook, line: Line): void {
  if (!("idem" in line) || line.idem === undefined) return;
  const oldest = new Date(Date.parse(line.at) - KEPT_MS).toISOString();
  for (const [key, { at }] of book.byKey) {
    if (at >= oldest) break;
    book.byKey.delete(key);
  }
  book.byKey.delete(line.idem.key);
  book.byKey.set(line.idem.key, { at: line.at, answer: line.idem });
}
