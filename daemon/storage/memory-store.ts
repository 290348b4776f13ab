import { setImmediate } from "node:timers/promises";
import { RunRecord } from "../runs/run-record.ts";
import { StorageFailed } from "../commit-errors.ts";
import type { Line } from "../transaction.ts";
import { StoreState, storeReads } from "./store-state.ts";
import type { Store } from "./store.ts";

/**
 * A store that keeps nothing beyond its process; for tests. It behaves as the durable ones do: a line is taken at once
 * and is visible to readers a moment later, in the order of taking. Finished runs are kept as text, so that nobody
 * shares a record with it.
 */
export function openMemoryStore(): Store {
  const state = new StoreState<string>();
  let lastSeq = 0;
  let isClosed = false;

  return {
    async commit(transaction) {
      if (isClosed) throw new StorageFailed("The store is closed");
      const line: Line = structuredClone(state.take(transaction));
      lastSeq += 1;
      const seq = lastSeq;
      await setImmediate();
      state.settle(line, seq, line.t === "run.done" ? JSON.stringify(line.rec) : "");
    },
    ...storeReads(state, async (text) => RunRecord.parse(JSON.parse(text))),
    async close() {
      isClosed = true;
      await setImmediate();
    },
  };
}
