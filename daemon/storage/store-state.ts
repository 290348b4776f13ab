import { isTerminal, type RunRecord } from "../runs/run-record.ts";
import type { RunLine } from "../runs/run-lines.ts";
import type { RunSummary } from "../runs/run-store.ts";
import { GuardFailed } from "../commit-errors.ts";
import type { Line, Transaction } from "../transaction.ts";
import type { Movement } from "../wallet/account-store.ts";
import { RunIndex } from "./run-index.ts";
import { applyToBook, emptyBook, guardHolds, type Book } from "./book/book.ts";
import { listControls } from "./book/controls-book.ts";
import { listKeys } from "./book/identity-book.ts";
import { checkPostings, readAccount } from "./book/money-book.ts";
import { moneyReads } from "./book/money-reads.ts";
import { LineRefused } from "./storage-errors.ts";
import type { StoreReads } from "./store.ts";

/**
 * What a store has in memory, twice where it matters: guards ask for what was taken, readers for what is durable. A line
 * goes through `take` once and, when it is durable, through `settle` once, in the order of taking.
 */
export class StoreState<Where> {
  readonly #taken: Book = emptyBook();
  readonly #takenRuns = new TakenRuns();
  readonly book: Book = emptyBook();
  readonly runs = new RunIndex<Where>();
  /** Lines that moved money, by workspace. */
  readonly #movements = new Map<string, Movement[]>();

  /**
   * Check and hold in one step: nothing else happens in between, because nothing here waits. Returns the line that was
   * taken. Throws `GuardFailed`, `LineRefused` or what `write` throws; then nothing was taken. Source: storage design, 4.1.
   */
  take(transaction: Transaction): Line {
    const broken = transaction.guards?.find((guard) => !guardHolds(this.#taken, guard));
    if (broken !== undefined) throw new GuardFailed(broken);
    const line = "line" in transaction ? transaction.line : transaction.write(moneyReads(this.#taken, transaction.of));
    checkPostings(this.#taken.money, line);
    if (isRunLine(line)) this.#takenRuns.take(line, this.runs.has(line.run));
    applyToBook(this.#taken, line);
    return line;
  }

  /** The line is durable: readers see it from now on. `seq` is its number, `where` the place of its record. */
  settle(line: Line, seq: number, where: Where): void {
    applyToBook(this.book, line);
    this.runs.apply(line, seq, where);
    if (isRunLine(line)) this.#takenRuns.settle(line);
    for (const workspaceId of movedWorkspaces(line)) {
      const known = this.#movements.get(workspaceId);
      if (known === undefined) this.#movements.set(workspaceId, [{ seq, line }]);
      else known.push({ seq, line });
    }
  }

  listMovements(workspaceId: string, { limit, before = Infinity }: { limit: number; before?: number }) {
    const older = (this.#movements.get(workspaceId) ?? []).filter(({ seq }) => seq < before).reverse();
    const items = older.slice(0, limit);
    const last = items.at(-1);
    return older.length > limit && last !== undefined ? { items, next: last.seq } : { items };
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

/** The workspaces whose accounts the postings of a line touch. */
function movedWorkspaces(line: Line): Set<string> {
  const accounts = "led" in line ? line.led.map(([account]) => account) : [];
  return new Set(accounts.flatMap((account) => /^ws:([^:]+):/.exec(account)?.[1] ?? []));
}

function isRunLine(line: Line): line is RunLine {
  return line.t.startsWith("run.");
}

/** All that features read, on whatever keeps the records of finished runs. */
export function storeReads<Where>(
  state: StoreState<Where>,
  readRecord: (where: Where) => Promise<RunRecord>,
): StoreReads {
  const { book, runs } = state;
  const { identity, money, resources, controls, answers } = book;
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
    async *scanRuns(workspaceId, filter) {
      yield* runs.facts(workspaceId, filter);
    },
    listOpenRuns: async () => structuredClone(runs.listOpen()),
    async findKeyByHash(hash) {
      const keyId = identity.keyIdsByHash.get(hash);
      return keyId === undefined ? undefined : identity.keys.get(keyId);
    },
    listKeys: async (workspaceId) => listKeys(identity, workspaceId),
    findUser: async (userId) => identity.users.get(userId),
    findWorkspace: async (workspaceId) => identity.workspaces.get(workspaceId),
    listWorkspaces: async () => [...identity.workspaces.values()],
    async listWorkspacesOf(userId) {
      return (identity.memberships.get(userId) ?? []).flatMap(
        (workspaceId) => identity.workspaces.get(workspaceId) ?? [],
      );
    },
    readAccounts: async (accounts) => accounts.map((account) => readAccount(money, account)),
    readMoney: async (of) => moneyReads(book, of),
    listMovements: async (workspaceId, page) => state.listMovements(workspaceId, page),
    listControls: async (workspaceId) => listControls(controls, workspaceId),
    async findResource(workspaceId, resourceId) {
      const found = resources.resources.get(resourceId);
      return found?.workspaceId === workspaceId ? found : undefined;
    },
    listResources: async (workspaceId) =>
      [...resources.resources.values()].filter((resource) => resource.workspaceId === workspaceId),
    listLiveResources: async () =>
      [...resources.resources.values()].filter(({ state: now }) => now !== "RELEASED" && now !== "PROVISION_FAILED"),
    async findIdempotency(key) {
      const kept = answers.byKey.get(key);
      return kept === undefined ? runs.findIdempotency(key) : { kind: "answer", answer: kept.answer };
    },
  };
}

function summaryOf({ input: _input, output: _output, ...summary }: RunRecord): RunSummary {
  return summary;
}
