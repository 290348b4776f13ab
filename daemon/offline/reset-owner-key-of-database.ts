import { readFile, rm } from "node:fs/promises";
import {
  copyLocalDaemonFile,
  putBackLocalDaemonFile,
  readLocalDaemonFile,
  writeLocalDaemonFile,
} from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { systemClock } from "../base/clock.ts";
import { createIdSource } from "../base/new-id.ts";
import { unusableConfigDir } from "../config/config-refused.ts";
import type { DatabaseSettings } from "../config/database-settings.ts";
import { hashCredential, parseKey } from "../identity/api-keys.ts";
import { OutcomeUnknown, StorageFailed } from "../ledger/transaction/commit-errors.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { DatabaseMoved, readMoveMark, refuseMovedDatabase } from "../storage/postgres/move-mark.ts";
import { openPostgresStore, type PostgresStore } from "../storage/postgres/postgres-store.ts";
import { fileWithoutDaemon, NoOwnerYet, resetOwnerKey, type ResetResult } from "./reset-owner-key.ts";

export interface DatabaseResetResult extends ResetResult {
  /** A file with the key that the CLI had before, when that is not one of this database. */
  readonly before?: string;
}

/**
 * `mkt daemon reset-owner-key` for a database: the line goes through the log, so daemons that run see it with their next
 * request. Tables of an older version are left to the daemons. Rejects as `openPostgresStore` does, with `DatabaseMoved`,
 * `NoOwnerYet`, and with `ConfigRefused` when the new key cannot be saved; then the old ones still work.
 */
export async function resetOwnerKeyOfDatabase(
  { dataDir, configDir }: Places,
  { url, caFile }: DatabaseSettings,
  version: string,
): Promise<DatabaseResetResult> {
  const ca = caFile === undefined ? undefined : await readFile(caFile, "utf8");
  await using store = await openPostgresStore({ url: url.reveal(), ca, mayChangeSchema: false, onFatal: () => {} });
  await refuseMovedDatabase(store.database, url.shown);
  if ((await store.listWorkspaces()).length === 0) throw new NoOwnerYet(`The database ${url.shown}`);
  const known = await readLocalDaemonFile(configDir, dataDir).catch(() => undefined);
  const copy = await inConfigFolder(configDir, () => copyLocalDaemonFile(configDir, dataDir));
  let file = "";
  let isMade = false;
  const keepKey = async (key: string) => {
    // A daemon that runs on this machine is found by it as before.
    const content = { ...(known ?? fileWithoutDaemon(dataDir, version)), key };
    file = await inConfigFolder(configDir, () => writeLocalDaemonFile(configDir, content));
  };
  try {
    const { key, label, revoked } = await resetOwnerKey(store, {
      clock: systemClock,
      newId: createIdSource(),
      keepKey,
    });
    isMade = true;
    // A daemon of this machine that started or stopped meanwhile may have written the key that it had read before.
    const there = await readLocalDaemonFile(configDir, dataDir).catch(() => undefined);
    if (there?.key !== key) {
      const content = { ...(there ?? known ?? fileWithoutDaemon(dataDir, version)), key };
      await inConfigFolder(configDir, () => writeLocalDaemonFile(configDir, content));
    }
    await refuseMovedMeanwhile(store, url.shown, { file, copy });
    if (copy === undefined) return { label, revoked, file };
    if (known !== undefined && (known.key === undefined || (await isKeyOf(store, known.key)))) {
      await rm(copy, { force: true });
      return { label, revoked, file };
    }
    return { label, revoked, file, before: copy };
  } catch (error) {
    // The new key may be valid: then both files stay.
    const mayBeMade = isMade || error instanceof StorageFailed || error instanceof OutcomeUnknown;
    if (!mayBeMade && copy !== undefined) await putBackLocalDaemonFile(configDir, dataDir, copy);
    throw error;
  }
}

/**
 * A move sees daemons by their rows, and a tool has none: one may have begun since the mark was looked for. A move leaves its mark
 * before it copies, so without a mark now the line is among what any move will copy. Rejects with `DatabaseMoved`.
 */
async function refuseMovedMeanwhile(
  { database }: PostgresStore,
  shown: string,
  { file, copy }: { readonly file: string; readonly copy: string | undefined },
): Promise<void> {
  const mark = await readMoveMark(database);
  if (mark === undefined) return;
  const old = copy === undefined ? "" : `, and what was there before in ${copy}`;
  throw new DatabaseMoved(
    shown,
    mark,
    `The new owner key was made while the data were being moved: it is in ${file}${old}, but where the data go on it may be ` +
      "missing, and the old ones good. When the move has ended, make a key there: mkt daemon reset-owner-key. ",
  );
}

async function isKeyOf(store: IdentityStore, key: string): Promise<boolean> {
  const credential = parseKey(key);
  return credential !== undefined && (await store.findKeyByHash(hashCredential(credential))) !== undefined;
}

async function inConfigFolder<Result>(configDir: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}
