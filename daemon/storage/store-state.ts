import type { RunId } from "../base/ids.ts";
import { endedAtOnce, isTerminal, type RunRecord } from "../ledger/records/run-record.ts";
import type { RunLine } from "../ledger/lines/run-lines.ts";
import type { ScheduleState } from "../ledger/records/schedule-records.ts";
import { GuardFailed, IdempotencyKeyUsed } from "../ledger/transaction/commit-errors.ts";
import type { SettledLine } from "../ledger/stores/line-feed.ts";
import type { Line, Transaction } from "../ledger/transaction/transaction.ts";
import { applyToBook, emptyBook, guardHolds, type Book } from "./book/book.ts";
import { checkPostings } from "./book/money-book.ts";
import { moneyReads } from "./book/money-reads.ts";
import { madeWaiting } from "./book/webhooks-book.ts";
import type { DeliveryRef } from "../ledger/stores/webhook-store.ts";
import { type OpenRun, OpenRuns } from "./open-runs.ts";
import { LineRefused } from "./storage-errors.ts";
import { TakenKeys } from "./taken-keys.ts";

/** What earlier lines made; both books say the same and share nothing. */
export interface StateBefore {
  readonly taken: Book;
  readonly durable: Book;
  readonly openRuns: readonly OpenRun[];
}

/**
 * What a store has in memory, twice where it matters: guards ask for what was taken, readers for what is durable. A line
 * goes through `take` once and, when it is durable, through `settle` once, in the order of taking. Runs that have ended are
 * not part of it.
 */
export class StoreState {
  #taken: Book;
  #takenRuns: TakenRuns;
  readonly #takenKeys: TakenKeys | undefined;
  readonly #hasEnded: (runId: RunId) => boolean;
  readonly book: Book;
  readonly runs: OpenRuns;
  /** How many lines became durable that are of no run. */
  othersSettled = 0;
  readonly #lineListeners = new Set<(settled: SettledLine) => void>();
  readonly #deliveryListeners: ((made: readonly DeliveryRef[]) => void)[] = [];

  /**
   * `hasEnded` may be false for a run that ended long ago: ids of runs are used once. `isShared`: several daemons write, so
   * that a line may be refused because another one was quicker.
   */
  constructor(hasEnded: (runId: RunId) => boolean, before?: StateBefore, { isShared = false } = {}) {
    this.#hasEnded = hasEnded;
    this.#takenKeys = isShared ? new TakenKeys() : undefined;
    this.#taken = before?.taken ?? emptyBook();
    this.book = before?.durable ?? emptyBook();
    this.runs = new OpenRuns(before?.openRuns);
    this.#takenRuns = new TakenRuns(this.runs);
  }

  /**
   * Check and hold in one step: nothing else happens in between, because nothing here waits. Returns the line that was
   * taken. Throws `GuardFailed`, `LineRefused` or what `write` or `admit` throws; then nothing was taken. Source:
   * docs/storage.md, "Commit".
   */
  take(transaction: Transaction, admit?: (line: Line) => void): Line {
    const broken = transaction.guards?.find((guard) => !guardHolds(this.#taken, guard));
    if (broken !== undefined) throw new GuardFailed(broken);
    const line = "line" in transaction ? transaction.line : transaction.write(moneyReads(this.#taken, transaction.of));
    admit?.(line);
    checkPostings(this.#taken.money, line);
    if (isRunLine(line)) this.#takenRuns.take(line, this.#hasEnded(line.run));
    this.#takenKeys?.take(line);
    applyToBook(this.#taken, line);
    return line;
  }

  /**
   * Throws `IdempotencyKeyUsed` if another line has used the line's Idempotency-Key. A store that several daemons write asks it
   * of the lines of its own daemon, as `admit` of `take`.
   */
  checkKey(line: Line): void {
    const answer = "idem" in line ? line.idem : undefined;
    const isAnswered = answer !== undefined && this.#taken.answers.byKey.has(answer.key);
    if (isAnswered || this.#takenKeys?.mayTake(line) === false) throw new IdempotencyKeyUsed();
  }

  /** Of the lines that are not durable only these are taken; the others are as if they had never been. */
  retake(lines: readonly Line[]): void {
    this.#taken = structuredClone(this.book);
    this.#takenRuns = new TakenRuns(this.runs);
    this.#takenKeys?.retake(lines);
    this.runs.forgetNumbers();
    for (const line of lines) {
      if (isRunLine(line)) this.#takenRuns.take(line, this.#hasEnded(line.run));
      applyToBook(this.#taken, line);
    }
  }

  /** Calls `listener` with deliveries that wait from now on. */
  watchDeliveries(listener: (made: readonly DeliveryRef[]) => void): void {
    this.#deliveryListeners.push(listener);
  }

  /** Calls `listener` with every line that is durable from now on. */
  followLines(listener: (settled: SettledLine) => void): () => void {
    this.#lineListeners.add(listener);
    return () => void this.#lineListeners.delete(listener);
  }

  /** The line is durable: readers see it from now on. `seq` is its number. */
  settle(line: Line, seq: number): void {
    const deleted = line.t === "schedule.deleted" ? this.book.schedules.byId.get(line.schedule) : undefined;
    applyToBook(this.book, line);
    this.#takenKeys?.settle(line);
    const waiting = this.#deliveryListeners.length === 0 ? [] : madeWaiting(line);
    if (waiting.length > 0) for (const listener of this.#deliveryListeners) listener(waiting);
    if (isRunLine(line)) {
      this.runs.settle(line, seq);
      this.#takenRuns.settle(line);
    } else this.othersSettled += 1;
    if (this.#lineListeners.size > 0) this.#tell(line, seq, deleted);
  }

  #tell(line: Line, number: number, deleted: ScheduleState | undefined): void {
    const settled: SettledLine = {
      line,
      number,
      run: "rec" in line ? line.rec : "run" in line ? this.runs.find(line.run) : undefined,
      key: "keyId" in line ? this.book.identity.keys.get(line.keyId) : undefined,
      schedule: deleted ?? ("schedule" in line ? this.book.schedules.byId.get(line.schedule) : undefined),
    };
    for (const listener of this.#lineListeners) listener(settled);
  }
}

/** Which runs are under way as far as taken lines say, so that no run is accepted or finished twice. */
class TakenRuns {
  readonly #open: Set<string>;
  /** Finished by a line that is not durable yet. */
  readonly #finishing = new Set<string>();

  constructor(durable: OpenRuns) {
    this.#open = new Set(durable.list().map(({ run }) => run.runId));
  }

  take(line: RunLine, hasEnded: boolean): void {
    const isOpen = this.#open.has(line.run);
    const isKnown = isOpen || hasEnded || this.#finishing.has(line.run);
    switch (line.t) {
      case "run.accepted":
        checkRecord(line, !isTerminal(line.rec));
        if (isKnown) throw new LineRefused(`run ${line.run} was accepted before`);
        this.#open.add(line.run);
        break;
      case "run.done":
        checkRecord(line, isTerminal(line.rec));
        if (!isOpen && (isKnown || !endedAtOnce(line.rec))) {
          throw new LineRefused(`run ${line.run} is finished already, or was never accepted`);
        }
        this.#open.delete(line.run);
        this.#finishing.add(line.run);
        break;
      default:
        if (!isOpen) throw new LineRefused(`${line.t}: run ${line.run} is not under way`);
    }
  }

  settle(line: RunLine): void {
    if (line.t === "run.done") this.#finishing.delete(line.run);
  }
}

function checkRecord(line: RunLine & { rec: RunRecord }, statusFits: boolean): void {
  if (line.rec.runId !== line.run || line.rec.workspaceId !== line.ws) {
    throw new LineRefused(`${line.t}: the record is of another run or workspace than the line`);
  }
  if (!statusFits) throw new LineRefused(`${line.t}: a run cannot be ${line.rec.status} here`);
}

function isRunLine(line: Line): line is RunLine {
  return line.t.startsWith("run.");
}
