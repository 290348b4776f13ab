import { join } from "node:path";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { describeStore } from "./store-contract.ts";

describeStore("the journal store", async () => {
  const folder = tempDir();
  const store = await openJournalStore({
    dataDir: join(folder.path, "data"),
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
});
