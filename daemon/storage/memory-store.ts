import { setImmediate } from "node:timers/promises";
import { StorageFailed } from "../ledger/transaction/commit-errors.ts";
import { Line } from "../ledger/transaction/transaction.ts";
import { keyLabelsOf } from "./book/identity-book.ts";
import { History } from "./history.ts";
import { LineIndex } from "./line-index.ts";
import { StoreState } from "./store-state.ts";
import { storeReads } from "./store-reads.ts";
import type { Store } from "./store.ts";

/**
 * A store that keeps nothing beyond its process; for tests. It behaves as the durable ones do: a line is taken at once
 * and is visible to readers a moment later, in the order of taking. Lines are kept as text, so that nobody shares one with
 * it.
 */
export function openMemoryStore(): Store {
  const index = new LineIndex<string>();
  const state = new StoreState((runId) => index.mayHaveRun(runId));
  const readLine = async (text: string) => Line.parse(JSON.parse(text));
  const lines = { parts: () => [index], readLine, readWhole: readLine };
  const history = new History(state.runs, lines, { read: async () => undefined }, keyLabelsOf(state.book.identity));
  let lastSeq = 0;
  let isClosed = false;

  return {
    async commit(transaction) {
      if (isClosed) throw new StorageFailed("The store is closed");
      const line: Line = structuredClone(state.take(transaction));
      lastSeq += 1;
      const seq = lastSeq;
      const accepted = state.runs.number(line, seq) ?? seq;
      await setImmediate();
      state.settle(line, seq);
      index.add(line, { seq, accepted }, JSON.stringify(line));
    },
    ...storeReads(state, history),
    hasRoom: () => true,
    async close() {
      isClosed = true;
      await setImmediate();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
