import { access } from "node:fs/promises";
import { type LocalDaemonFile, readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { isoNow, systemClock } from "../clock.ts";
import { unusableConfigDir } from "../config.ts";
import { createIdSource } from "../new-id.ts";
import { errorCode } from "../storage/files.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { NoOwnerYet, resetOwnerKey } from "./reset-owner-key.ts";

export interface ResetResult {
  readonly label: string;
  /** How many old operator keys no longer work. */
  readonly revoked: number;
  /** Where the CLI finds the new key. */
  readonly file: string;
}

/**
 * `mkt daemon reset-owner-key`: takes the folder's lock, so that it works on a stopped daemon's folder only. Rejects as
 * `openJournalStore` does, with `NoOwnerYet`, and with `ConfigRefused` when the new key cannot be kept; then the old one
 * still works.
 */
export async function resetOwnerKeyOfFolder({ dataDir, configDir }: Places): Promise<ResetResult> {
  // Opening makes the folder; a misspelt one is not to be made.
  await access(dataDir).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") throw new NoOwnerYet(`The data folder ${dataDir}`);
  });
  const store = await openJournalStore({ dataDir, onFatal: () => {} });
  try {
    const at = isoNow(systemClock);
    const known = await readLocalDaemonFile(configDir, dataDir).catch(() => undefined);
    let file = "";
    const keepKey = async (key: string) => {
      file = await keepInConfigFolder(configDir, {
        url: known?.url ?? "http://127.0.0.1:7717",
        registryUrl: known?.registryUrl ?? "http://127.0.0.1:7718",
        pid: known?.pid ?? process.pid,
        version: known?.version ?? "0.1.0",
        dataDir,
        key,
        startedAt: known?.startedAt ?? at,
        stoppedAt: known?.stoppedAt ?? at,
      });
    };
    const { label, revoked } = await resetOwnerKey(store, { clock: systemClock, newId: createIdSource(), keepKey });
    return { label, revoked, file };
  } finally {
    await store.close();
  }
}

async function keepInConfigFolder(configDir: string, file: LocalDaemonFile): Promise<string> {
  try {
    return await writeLocalDaemonFile(configDir, file);
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}
