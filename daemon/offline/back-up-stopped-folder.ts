import { access } from "node:fs/promises";
import type { BackupReport } from "../../shared/contract/admin.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { NoOwnerYet } from "./reset-owner-key.ts";

/**
 * `mkt daemon backup` without a running daemon: opens the folder as a daemon does, which completes what a crash
 * interrupted, and copies it. Rejects as `openJournalStore` and `backup` do, and with `NoOwnerYet` when the folder does
 * not exist.
 */
export async function backUpStoppedFolder(dataDir: string, directory: string): Promise<BackupReport> {
  // Opening creates the folder; a misspelt one must not be created.
  await access(dataDir).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") throw new NoOwnerYet(`The data folder ${dataDir}`);
  });
  await using store = await openJournalStore({ dataDir, onFatal: () => {} });
  return await store.backup(directory);
}
