import type { UserId, WorkspaceId } from "../base/ids.ts";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type LocalDaemonFile, readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { type Clock, isoNow, systemClock } from "../base/clock.ts";
import { unusableConfigDir } from "../config/config-refused.ts";
import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_REGISTRY_PORT } from "../config/server-settings.ts";
import { issueKey } from "../identity/api-keys.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { KeyRecord, WorkspaceRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { newOwnerKeyRecord } from "../identity/new-key-record.ts";
import { OWNER_KEY_LABEL } from "../identity/owner.ts";
import { createIdSource } from "../base/new-id.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { refuseMovedFolder } from "../storage/moved-folder.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";

export interface ResetOwnerKey {
  /** The whole new key: stored nowhere, so this is the only time it is shown. */
  readonly key: string;
  readonly label: string;
  readonly workspaceId: WorkspaceId;
  /** The number of keys with the operator grant that were revoked. */
  readonly revoked: number;
}

/** The data folder was never started, so there is no key to reset. */
export class NoOwnerYet extends Error {
  override readonly name = "NoOwnerYet";

  constructor(folder = "This data folder") {
    super(`${folder} has no owner yet: no daemon was ever started on it. Start one with: mkt daemon start`);
  }
}

export interface ResetOwnerKeyParts {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Saves the key where its owner finds it, before it is valid; when it rejects, nothing was changed. */
  readonly keepKey?: (key: string) => Promise<void>;
}

/** Beside running daemons, other operator keys may be made or revoked at the same moment; each try sees those of before. */
const MOST_TRIES = 50;

/**
 * Creates a new owner key for the first workspace of a stopped daemon's data folder, or of a database; the same line revokes
 * every other key with the operator grant, whoever makes one meanwhile. Of several resets at once the last one's key stays.
 * docs/contract.md, "Operator".
 */
export async function resetOwnerKey(
  store: IdentityStore & Committer,
  { clock, newId, keepKey }: ResetOwnerKeyParts,
): Promise<ResetOwnerKey> {
  const issued = issueKey();
  const keyId = newId();
  for (let tried = 1; ; tried += 1) {
    const { first, owner, all } = await readKeys(store);
    const replaced = all.filter((key) => key.operator === true && key.revokedAt === undefined);
    const replaces = replaced.map((key) => key.keyId);
    const { workspaceId } = first;
    const label = freeLabel(all.filter((key) => key.workspaceId === workspaceId && !replaced.includes(key)));
    const at = isoNow(clock);
    const key = newOwnerKeyRecord(issued, { keyId, workspaceId, label, userId: owner, at });
    if (tried === 1) await keepKey?.(issued.key);
    try {
      await store.commit({
        line: { t: "key.created", v: 1, at, key, replaces },
        guards: [{ kind: "operatorKeys", keyIds: replaces }],
      });
      return { key: issued.key, label, workspaceId, revoked: replaced.length };
    } catch (error) {
      if (!(error instanceof GuardFailed) || tried === MOST_TRIES) throw error;
    }
  }
}

async function readKeys(
  store: IdentityStore,
): Promise<{ readonly first: WorkspaceRecord; readonly owner: UserId; readonly all: readonly KeyRecord[] }> {
  const workspaces = await store.listWorkspaces();
  const all = (await Promise.all(workspaces.map(({ workspaceId }) => store.listKeys(workspaceId)))).flat();
  const [first] = workspaces;
  const firstKey = all.find((key) => key.workspaceId === first?.workspaceId);
  if (first === undefined || firstKey === undefined) throw new NoOwnerYet();
  return { first, owner: firstKey.owner, all };
}

function freeLabel(others: readonly KeyRecord[]): string {
  const taken = new Set(others.filter((key) => key.revokedAt === undefined).map((key) => key.label));
  let label = OWNER_KEY_LABEL;
  for (let suffix = 2; taken.has(label); suffix += 1) {
    label = `${OWNER_KEY_LABEL}-${suffix}`;
  }
  return label;
}

export interface ResetResult {
  readonly label: string;
  /** The number of old operator keys that were revoked. */
  readonly revoked: number;
  /** Where the CLI finds the new key. */
  readonly file: string;
}

/**
 * `mkt daemon reset-owner-key`: takes the folder's lock, so it works only on a stopped daemon's folder. Rejects as
 * `openJournalStore` does, with `NoOwnerYet`, and with `ConfigRefused` when the new key cannot be saved; then the old
 * one still works. `version` is that of this program.
 */
export async function resetOwnerKeyOfFolder({ dataDir, configDir }: Places, version: string): Promise<ResetResult> {
  // Opening creates the folder and its journal: not where it is misspelt, or of a daemon that works on a database.
  await access(join(dataDir, "log")).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") throw new NoOwnerYet(`The data folder ${dataDir}`);
  });
  await refuseMovedFolder(dataDir);
  await using store = await openJournalStore({ dataDir, onFatal: () => {} });
  const known = await readLocalDaemonFile(configDir, dataDir).catch(() => undefined);
  let file = "";
  const keepKey = async (key: string) => {
    const { process: _ended, ...content } = known ?? fileWithoutDaemon(dataDir, version);
    const stoppedAt = content.stoppedAt ?? isoNow(systemClock);
    file = await keepInConfigFolder(configDir, { ...content, dataDir, key, stoppedAt });
  };
  const { label, revoked } = await resetOwnerKey(store, { clock: systemClock, newId: createIdSource(), keepKey });
  return { label, revoked, file };
}

/** By which the CLI finds no daemon yet, but looks where one would be. */
export function fileWithoutDaemon(dataDir: string, version: string): LocalDaemonFile {
  const at = isoNow(systemClock);
  return {
    url: `http://${DEFAULT_HOST}:${DEFAULT_PORT}`,
    registryUrl: `http://${DEFAULT_HOST}:${DEFAULT_REGISTRY_PORT}`,
    pid: process.pid,
    version,
    dataDir,
    startedAt: at,
    stoppedAt: at,
  };
}

async function keepInConfigFolder(configDir: string, file: LocalDaemonFile): Promise<string> {
  try {
    return await writeLocalDaemonFile(configDir, file);
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}
