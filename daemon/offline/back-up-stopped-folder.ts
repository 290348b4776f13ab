import { access } from "node:fs/promises";
import type { BackupReport } from "../../shared/contract/admin.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { NoOwnerYet } from "./reset-owner-key.ts";

/**
 * `mkt daemon backup` where no daemon runs: opens the folder as a daemon does, which settles what a crash left, and copies
 * it. Rejects as `openJournalStore` and `backup` do, and with `NoOwnerYet` when there is no such folder.
 */
export async function backUpStoppedFolder(dataDir: string, directory: string): Promise<BackupReport> {
  // Opening makes the folder; a misspelt one is not to be made.
  await access(dataDir).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") throw new NoOwnerYet(`The data folder ${dataDir}`);
  });
  await using store = await openJournalStore({ dataDir, onFatal: () => {} });
  return await store.backup(directory);
}
