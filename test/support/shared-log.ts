import { setImmediate } from "node:timers/promises";
import type { RunId } from "../../daemon/base/ids.ts";
import type { Cluster, OrderOutcome, RunOrder } from "../../daemon/cluster/cluster.ts";
import type { LineListener } from "../../daemon/cluster/shared-lines.ts";
import { StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { keyLabelsOf } from "../../daemon/storage/book/identity-book.ts";
import { History } from "../../daemon/storage/history.ts";
import { LineIndex } from "../../daemon/storage/line-index.ts";
import { storeReads } from "../../daemon/storage/store-reads.ts";
import { StoreState } from "../../daemon/storage/store-state.ts";
import type { Store } from "../../daemon/storage/store.ts";

interface Written {
  readonly text: string;
  readonly by: string;
}

/** One daemon on a shared log. */
export interface LogDaemon {
  readonly store: Store;
  readonly cluster: Cluster;
  /** As by SIGKILL: it writes nothing more, and `who` takes over its runs. */
  dieAndLeaveTo(who: LogDaemon): Promise<void>;
  takeOver(runIds: readonly RunId[]): Promise<void>;
  carryOut(runId: RunId, order: RunOrder): Promise<OrderOutcome>;
}

/**
 * A log in memory that several daemons of one process write, each with a replica that lags behind by some turns of the event
 * loop, as on PostgreSQL: a commit first settles what is new, then decides and writes in one step.
 */
export class SharedLog {
  readonly #lines: Written[] = [];
  readonly #owners = new Map<RunId, string>();
  readonly #daemons = new Map<string, LogDaemon>();
  readonly #wakers: (() => void)[] = [];

  open(daemonId: string): LogDaemon {
    const index = new LineIndex<string>();
    const state = new StoreState((runId) => index.mayHaveRun(runId), undefined, { isShared: true });
    const readLine = async (text: string) => Line.parse(JSON.parse(text));
    const lines = { parts: () => [index], readLine, readWhole: readLine };
    const history = new History(state.runs, lines, { read: async () => undefined }, keyLabelsOf(state.book.identity));
    const listeners: LineListener[] = [];
    let seen = 0;
    let isDead = false;
    const settle = (line: Line, text: string, isOwn: boolean) => {
      seen += 1;
      const accepted = state.runs.number(line, seen) ?? seen;
      state.settle(line, seen);
      index.add(line, { seq: seen, accepted }, text);
      for (const listener of listeners) listener(line, isOwn);
    };
    const catchUp = () => {
      if (isDead) return;
      for (let next = this.#lines[seen]; next !== undefined; next = this.#lines[seen]) {
        const line = Line.parse(JSON.parse(next.text));
        state.take({ line });
        settle(line, next.text, false);
      }
    };
    this.#wakers.push(
      () =>
        void setImmediate()
          .then(() => setImmediate())
          .then(catchUp),
    );
    const store: Store = {
      commit: async (transaction) => {
        await setImmediate();
        if (isDead) throw new StorageFailed("the daemon is dead");
        catchUp();
        const line = structuredClone(state.take(transaction, (taken) => state.checkKey(taken)));
        const text = JSON.stringify(line);
        this.#lines.push({ text, by: daemonId });
        if (line.t === "run.accepted") this.#owners.set(line.run, daemonId);
        if (line.t === "run.done") this.#owners.delete(line.run);
        settle(line, text, true);
        for (const wake of this.#wakers) wake();
        await setImmediate();
      },
      ...storeReads(state, history),
      hasRoom: () => true,
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    let take: ((runIds: readonly RunId[]) => Promise<void>) | undefined;
    let carryOut: ((runId: RunId, order: RunOrder) => Promise<OrderOutcome>) | undefined;
    const cluster: Cluster = {
      daemonId,
      leaseMs: 10_000,
      watchLines: (listener) => void listeners.push(listener),
      refresh: async () => catchUp(),
      confirmLease: async () => {},
      takeOver: async (taking) => void (take = taking),
      serveOrders: (carrying) => void (carryOut = carrying),
      ask: async (runId, order) => {
        await setImmediate();
        const owner = this.#daemons.get(this.#owners.get(runId) ?? "");
        return owner === undefined ? { kind: "unfit" } : await owner.carryOut(runId, order);
      },
      whenLeading: (start) => void start(),
      tell: async () => {},
      listOthers: async () => [],
    };
    const daemon: LogDaemon = {
      store,
      cluster,
      dieAndLeaveTo: async (who) => {
        isDead = true;
        const left = [...this.#owners].flatMap(([runId, owner]) => (owner === daemonId ? [runId] : []));
        for (const runId of left) this.#owners.set(runId, who.cluster.daemonId);
        await who.cluster.refresh();
        await who.takeOver(left);
      },
      takeOver: async (runIds) => await take?.(runIds),
      carryOut: async (runId, order) => (await carryOut?.(runId, order)) ?? { kind: "unfit" },
    };
    this.#daemons.set(daemonId, daemon);
    return daemon;
  }
}
