import {
  copyLocalDaemonFile,
  putBackLocalDaemonFile,
  readLocalDaemonFile,
  writeLocalDaemonFile,
} from "../../shared/local-daemon-file.ts";
import { findProcessIdentity } from "../../shared/process-identity.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { unusableConfigDir } from "../config/config-refused.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { Logger } from "../base/logger.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { hashCredential, parseKey } from "../identity/api-keys.ts";
import { statusOf } from "../identity/key-status.ts";
import { ensureOwner } from "../identity/owner.ts";
import { OutcomeUnknown, StorageFailed } from "../ledger/transaction/commit-errors.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";

export interface OwnerAccessParts {
  readonly store: IdentityStore & Committer;
  readonly config: DaemonConfig;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

/**
 * Writes the file by which the CLI finds this daemon; on the first start it contains a new owner key. The key is on the
 * disk before the line that makes it valid. So a crash between the two leaves a key that does not work yet, never a
 * valid key that nobody has. Of several daemons that start at once on an empty database one makes the owner, and the
 * others put back what was in the file. A key that was there before may be the only copy of that of another store, so it is
 * never lost: it is put back when no owner was made, and otherwise kept in another file. Rejects with `ConfigRefused` if the configuration folder cannot be used.
 */
export async function openOwnerAccess(
  parts: OwnerAccessParts,
  { url, registryUrl }: { readonly url: string; readonly registryUrl: string },
): Promise<void> {
  const { config, clock } = parts;
  const identity = findProcessIdentity(process.pid);
  let own: string | undefined;
  const writeFile = async (key: string | undefined) => {
    own = key;
    const file = {
      url,
      registryUrl,
      pid: process.pid,
      ...(identity !== undefined && { process: identity }),
      version: config.version,
      dataDir: config.dataDir,
      ...(key !== undefined && { key }),
      startedAt: isoNow(clock),
    };
    await inConfigFolder(config, async () => await writeLocalDaemonFile(config.configDir, file));
  };
  // Before a new key may take its place. A file that cannot be read does not matter to the one that makes the owner.
  const [before] = await Promise.allSettled([readLocalDaemonFile(config.configDir, config.dataDir)]);
  const hadKey = before.status === "rejected" || before.value?.key !== undefined;
  const isMade = await makeOwner(parts, hadKey, writeFile);
  if (isMade) return;

  if (before.status === "rejected") throw unusableConfigDir(config.configDir, before.reason);
  // Beside a database, the key may have been made anew since; but not by this daemon, whose own is not good then.
  const now = await readLocalDaemonFile(config.configDir, config.dataDir).catch(() => undefined);
  const known = now?.key === undefined || now.key === own ? before.value?.key : now.key;
  await writeFile(known);
  if (known === undefined || !(await isValid(parts, known))) await warnOfMissingKey(parts, known);
}

/** False when the store has an owner. */
async function makeOwner(
  parts: OwnerAccessParts,
  hadKey: boolean,
  writeFile: (key: string) => Promise<void>,
): Promise<boolean> {
  const { config, logger } = parts;
  const { configDir, dataDir, startingCredit } = config;
  let copy: string | undefined;
  const keepKey = async (key: string) => {
    if (hadKey) copy = await inConfigFolder(config, () => copyLocalDaemonFile(configDir, dataDir));
    await writeFile(key);
  };
  const putBack = async () => {
    if (copy === undefined) return;
    const file = copy;
    await inConfigFolder(config, () => putBackLocalDaemonFile(configDir, dataDir, file));
  };
  try {
    const owner = await ensureOwner(parts, { startingCredit, keepKey });
    if (owner === undefined) {
      await putBack();
      return false;
    }
  } catch (error) {
    // The new key may be valid: then both are kept, and the file has the new one.
    const mayBeMade = error instanceof StorageFailed || error instanceof OutcomeUnknown;
    if (mayBeMade || !(await succeeds(putBack()))) warnOfCopy(logger, copy);
    throw error;
  }
  warnOfCopy(logger, copy);
  return true;
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function warnOfCopy(logger: Logger, copy: string | undefined): void {
  if (copy === undefined) return;
  logger.warn(
    { file: copy },
    "a new owner key took the place of the one that was in this configuration folder, which may be that of another store; the one before is kept in this file",
  );
}

async function isValid({ store, clock }: OwnerAccessParts, key: string): Promise<boolean> {
  const credential = parseKey(key);
  const found = credential === undefined ? undefined : await store.findKeyByHash(hashCredential(credential));
  return found !== undefined && statusOf(found, clock.now()) === "ACTIVE";
}

/** A key that is not valid here stays in the file: it may be the only copy of the key of another store. */
async function warnOfMissingKey(parts: OwnerAccessParts, known: string | undefined): Promise<void> {
  const { config, logger } = parts;
  const what =
    known === undefined
      ? "the owner key is not in this configuration folder"
      : "the key in this configuration folder is not valid here";
  const how =
    config.database === undefined
      ? "to create a new one, stop the daemon and run mkt daemon reset-owner-key"
      : "the daemon that made the owner has it; to have a key here, make one there with mkt keys create, and give it to mkt login here; where nobody has a key any more, type mkt daemon reset-owner-key";
  logger.warn({ configDir: config.configDir, validOwnerKeys: await listOwnerKeys(parts) }, `${what}; ${how}`);
}

/** How the valid keys of the operator begin, as `mkt keys` shows them. */
async function listOwnerKeys({ store, clock }: OwnerAccessParts): Promise<readonly string[]> {
  const [first] = await store.listWorkspaces();
  const keys = first === undefined ? [] : await store.listKeys(first.workspaceId);
  return keys
    .filter((key) => key.operator === true && statusOf(key, clock.now()) === "ACTIVE")
    .map(({ prefix }) => prefix);
}

async function inConfigFolder<Result>({ configDir }: DaemonConfig, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}
