import type { BackupReport } from "../../shared/contract/admin.ts";

/** What a backup needs of a store. */
export interface BackupStore {
  /**
   * Copies everything that was durable at the time of the call into a folder that does not exist or is empty; a daemon
   * can be started on the copy. Other work continues meanwhile. Rejects with `BackupRefused` or the disk's error; then
   * nothing of the copy remains. Source: docs/storage.md, "Backup".
   */
  backup(directory: string): Promise<BackupReport>;
}

/** The folder cannot take a backup. The message says why, and what to do. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
}
