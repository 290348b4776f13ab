import type { IdempotentAnswer } from "../../ledger/records/idempotency-record.ts";
import { KEY_KEPT_MS } from "../../ledger/stores/idempotency-store.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";

/** This many are kept whatever their dates: a clock that runs ahead for a while makes all others look old. */
const KEPT_AT_LEAST = 100;

/**
 * Answers to requests with an Idempotency-Key that made something other than a run; a run's answer follows from the
 * run.
 */
export interface AnswersBook {
  /** By key hash, oldest first; `at` is the time of the line. */
  readonly byKey: Map<string, { readonly at: string; readonly answer: IdempotentAnswer }>;
}

export function emptyAnswersBook(): AnswersBook {
  return { byKey: new Map() };
}

/**
 * Keeps the line's answer. While there are many answers, forgets those that are too old compared to the line's time.
 */
export function applyAnswer(book: AnswersBook, line: Line): void {
  if (!("idem" in line) || line.idem === undefined) return;
  for (const [key, { at }] of book.byKey) {
    // A date far in the future does not tell the age, and must not keep all others until that date.
    const isRecent = Math.abs(Date.parse(line.at) - Date.parse(at)) <= KEY_KEPT_MS;
    if (isRecent || book.byKey.size < KEPT_AT_LEAST) break;
    book.byKey.delete(key);
  }
  book.byKey.delete(line.idem.key);
  book.byKey.set(line.idem.key, { at: line.at, answer: line.idem });
}
