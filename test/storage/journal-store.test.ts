import { join } from "node:path";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { describeStore, type StoreUnderTest } from "./store-contract.ts";

async function open(segmentBytes: number): Promise<StoreUnderTest> {
  const folder = tempDir();
  const store = await openJournalStore({
    dataDir: join(folder.path, "data"),
    segmentBytes,
    onFatal(error) {
      throw error;
    },
  });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
}

describeStore("the journal store", () => open(16 * 1_024 * 1_024));
describeStore("the journal store with segments of two lines", () => open(2_000));
