import type { IdempotentAnswer } from "../../ledger/idempotency-record.ts";
import { KEY_KEPT_MS } from "../../ledger/idempotency-store.ts";
import type { Line } from "../../ledger/transaction.ts";

/** So many are kept whatever their dates: a clock that runs ahead for a while makes all others look old. */
const KEPT_AT_LEAST = 100;

/** Answers of requests with an Idempotency-Key that made something else than a run; runs are their own answer. */
export interface AnswersBook {
  /** By key hash, oldest first; `at` is the time of the line. */
  readonly byKey: Map<string, { readonly at: string; readonly answer: IdempotentAnswer }>;
}

export function emptyAnswersBook(): AnswersBook {
  return { byKey: new Map() };
}

/** Keeps the line's answer, and forgets those of another day by the time of the line, as long as there are many. */
export function applyAnswer(book: AnswersBook, line: Line): void {
  if (!("idem" in line) || line.idem === undefined) return;
  for (const [key, { at }] of book.byKey) {
    // One from far ahead says nothing about its age, and must not keep all others until that time has come.
    const isRecent = Math.abs(Date.parse(line.at) - Date.parse(at)) <= KEY_KEPT_MS;
    if (isRecent || book.byKey.size < KEPT_AT_LEAST) break;
    book.byKey.delete(key);
  }
  book.byKey.delete(line.idem.key);
  book.byKey.set(line.idem.key, { at: line.at, answer: line.idem });
}
