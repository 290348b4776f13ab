import type { BackupReport } from "../../shared/contract/admin.ts";

/** What a backup needs of a store. */
export interface BackupStore {
  /**
   * Copies everything that was durable when it was asked into a folder that is not there yet, or empty; the folder is a data
   * folder that a daemon can be started on. Work goes on meanwhile. Rejects with `BackupRefused` or the disk's error; then
   * nothing of the copy stays. Source: docs/storage.md, "Backup".
   */
  backup(directory: string): Promise<BackupReport>;
}

/** The folder cannot take a backup. The message says why, and what to do. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
}
