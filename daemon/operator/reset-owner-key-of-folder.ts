import { readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { isoNow, systemClock } from "../clock.ts";
import { createIdSource } from "../new-id.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { resetOwnerKey } from "./reset-owner-key.ts";

export interface ResetResult {
  readonly label: string;
  /** How many old operator keys no longer work. */
  readonly revoked: number;
  /** Where the CLI finds the new key. */
  readonly file: string;
}

/**
 * `mkt daemon reset-owner-key`: takes the folder's lock, so that it works on a stopped daemon's folder only. Rejects as
 * `openJournalStore` does, and with `NoOwnerYet`.
 */
export async function resetOwnerKeyOfFolder({ dataDir, configDir }: Places): Promise<ResetResult> {
  const store = await openJournalStore({ dataDir, onFatal: () => {} });
  try {
    const at = isoNow(systemClock);
    const known = await readLocalDaemonFile(configDir, dataDir).catch(() => undefined);
    const { key, label, revoked } = await resetOwnerKey(store, { clock: systemClock, newId: createIdSource() });
    const file = await writeLocalDaemonFile(configDir, {
      url: known?.url ?? "http://127.0.0.1:7717",
      registryUrl: known?.registryUrl ?? "http://127.0.0.1:7718",
      pid: known?.pid ?? process.pid,
      version: known?.version ?? "0.1.0",
      dataDir,
      key,
      startedAt: known?.startedAt ?? at,
      stoppedAt: known?.stoppedAt ?? at,
    });
    return { label, revoked, file };
  } finally {
    await store.close();
  }
}
