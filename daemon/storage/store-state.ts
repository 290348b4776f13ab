import type { IdentityStore } from "../identity/identity-store.ts";
import { isTerminal, type RunRecord } from "../runs/run-record.ts";
import type { RunLine } from "../runs/run-lines.ts";
import type { RunStore, RunSummary } from "../runs/run-store.ts";
import { GuardFailed } from "../commit-errors.ts";
import type { Line, Transaction } from "../transaction.ts";
import type { AccountStore } from "../wallet/account-store.ts";
import { RunIndex } from "./run-index.ts";
import { applyToBook, checkPostings, emptyBook, guardHolds, listKeys, readAccount, type Book } from "./book.ts";
import { LineRefused } from "./storage-errors.ts";

/**
 * What a store has in memory, twice where it matters: guards ask for what was taken, readers for what is durable. A line
 * goes through `take` once and, when it is durable, through `settle` once, in the order of taking.
 */
export class StoreState<Where> {
  readonly #taken: Book = emptyBook();
  readonly #takenRuns = new TakenRuns();
  readonly book: Book = emptyBook();
  readonly runs = new RunIndex<Where>();

  /**
   * Check and hold in one step: nothing else happens in between, because nothing here waits. Throws `GuardFailed` or
   * `LineRefused`; then nothing was taken. Source: storage design, 4.1.
   */
  take({ line, guards = [] }: Transaction): void {
    const broken = guards.find((guard) => !guardHolds(this.#taken, guard));
    if (broken !== undefined) throw new GuardFailed(broken);
    checkPostings(this.#taken, line);
    if (isRunLine(line)) this.#takenRuns.take(line, this.runs.has(line.run));
    applyToBook(this.#taken, line);
  }

  /** The line is durable: readers see it from now on. `seq` is its number, `where` the place of its record. */
  settle(line: Line, seq: number, where: Where): void {
    applyToBook(this.book, line);
    this.runs.apply(line, seq, where);
    if (isRunLine(line)) this.#takenRuns.settle(line);
  }
}

/** Which runs are under way as far as taken lines say, so that no run is accepted or finished twice. */
class TakenRuns {
  readonly #open = new Set<string>();
  /** Finished by a line that is not durable yet; afterwards the run index knows it. */
  readonly #finishing = new Set<string>();

  take(line: RunLine, isDurable: boolean): void {
    const isOpen = this.#open.has(line.run);
    const isKnown = isOpen || isDurable || this.#finishing.has(line.run);
    switch (line.t) {
      case "run.accepted":
        checkRecord(line, !isTerminal(line.rec));
        if (isKnown) throw new LineRefused(`run ${line.run} was accepted before`);
        this.#open.add(line.run);
        break;
      case "run.done":
        checkRecord(line, isTerminal(line.rec));
        // A run that is refused by a control is finished in its first and only line.
        if (isKnown && !isOpen) throw new LineRefused(`run ${line.run} is finished already`);
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

/** All that features read, on whatever keeps the records of finished runs. */
export function storeReads<Where>(
  { book, runs }: StoreState<Where>,
  readRecord: (where: Where) => Promise<RunRecord>,
): RunStore & IdentityStore & AccountStore {
  const readRun = async (runId: string, where: Where | undefined): Promise<RunRecord | undefined> =>
    // A copy, as a record read from the disk is one too: what a caller changes is its own.
    where === undefined ? structuredClone(runs.findOpen(runId)) : readRecord(where);
  return {
    async findRun(workspaceId, runId) {
      const entry = runs.find(workspaceId, runId);
      return entry === undefined ? undefined : readRun(runId, entry.where);
    },
    async listRuns(workspaceId, filter, page) {
      const { entries, next } = runs.page(workspaceId, filter, page);
      const items: RunSummary[] = [];
      // One after the other, each let go of at once: a page of large outputs must not be in memory together.
      for (const { runId, where } of entries) {
        const record = await readRun(runId, where);
        if (record !== undefined) items.push(summaryOf(record));
      }
      return next === undefined ? { items } : { items, next };
    },
    listOpenRuns: async () => structuredClone(runs.listOpen()),
    async findKeyByHash(hash) {
      const keyId = book.keyIdsByHash.get(hash);
      return keyId === undefined ? undefined : book.keys.get(keyId);
    },
    listKeys: async (workspaceId) => listKeys(book, workspaceId),
    findUser: async (userId) => book.users.get(userId),
    findWorkspace: async (workspaceId) => book.workspaces.get(workspaceId),
    listWorkspaces: async () => [...book.workspaces.values()],
    async listWorkspacesOf(userId) {
      return (book.memberships.get(userId) ?? []).flatMap((workspaceId) => book.workspaces.get(workspaceId) ?? []);
    },
    readAccounts: async (accounts) => accounts.map((account) => readAccount(book, account)),
  };
}

function summaryOf({ input: _input, output: _output, ...summary }: RunRecord): RunSummary {
  return summary;
}
