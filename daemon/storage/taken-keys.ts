import type { Line } from "../ledger/transaction/transaction.ts";

/**
 * At least this many keys are known. A request is refused for a key that another daemon used between its own look and its own
 * line, which are milliseconds apart; so many runs take a full cluster a minute.
 */
const KEPT_AT_LEAST = 50_000;
/** A key may be used again after a day. docs/contract.md, "Idempotency". No request takes this long. */
export const KEY_HOLDS_MS = 20 * 3_600_000;

interface Use {
  readonly key: string;
  readonly runId: string;
  readonly retryOf: string | undefined;
  readonly atMs: number;
}

/**
 * Which run has which Idempotency-Key, for lines that were taken lately. A daemon alone knows the requests that are under way
 * with a key; where several work on one store, two may have found at the same time that a key is unused, and the second
 * one's line is refused.
 */
export class TakenKeys {
  /** The newest use of each key. Two generations: when the new one is full, the old one is forgotten. */
  #durable = new Map<string, Use>();
  #older = new Map<string, Use>();
  readonly #pending = new Map<string, Use>();

  /** False if another line has used the line's key, and the line does not say that it repeats that one. */
  mayTake(line: Line): boolean {
    const use = useOf(line);
    if (use === undefined) return true;
    const { key, runId, retryOf, atMs } = use;
    const before = this.#pending.get(key) ?? this.#durable.get(key) ?? this.#older.get(key);
    if (before === undefined || before.runId === runId || before.runId === retryOf) return true;
    return atMs - before.atMs > KEY_HOLDS_MS;
  }

  take(line: Line): void {
    const use = useOf(line);
    if (use !== undefined) this.#pending.set(use.key, use);
  }

  /** The line is durable. */
  settle(line: Line): void {
    const use = useOf(line);
    if (use === undefined) return;
    if (this.#pending.get(use.key)?.runId === use.runId) this.#pending.delete(use.key);
    if (this.#durable.size >= KEPT_AT_LEAST) {
      this.#older = this.#durable;
      this.#durable = new Map();
    }
    this.#durable.set(use.key, use);
  }

  /** Of the lines that are not durable only these are taken. */
  retake(lines: readonly Line[]): void {
    this.#pending.clear();
    for (const line of lines) this.take(line);
  }
}

/** Of the lines with which a run begins and ends: one that ended in its only line has no other. */
function useOf(line: Line): Use | undefined {
  if (line.t !== "run.accepted" && line.t !== "run.done") return undefined;
  const { idempotency, runId, createdAt } = line.rec;
  if (idempotency === undefined) return undefined;
  return { key: idempotency.key, runId, retryOf: idempotency.retryOf, atMs: Date.parse(createdAt) };
}
