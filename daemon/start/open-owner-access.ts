import { readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { findProcessIdentity } from "../../shared/process-identity.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { unusableConfigDir } from "../config/config-refused.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { Logger } from "../base/logger.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
import { hashCredential, parseKey } from "../identity/api-keys.ts";
import { statusOf } from "../identity/key-status.ts";
import { ensureOwner } from "../identity/owner.ts";
import type { Committer } from "../ledger/transaction.ts";

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
 * others put back what was in the file. Rejects with `ConfigRefused` if the configuration folder cannot be used.
 */
export async function openOwnerAccess(
  parts: OwnerAccessParts,
  { url, registryUrl }: { readonly url: string; readonly registryUrl: string },
): Promise<void> {
  const { config, clock } = parts;
  const identity = findProcessIdentity(process.pid);
  const writeFile = async (key: string | undefined) => {
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
  const owner = await ensureOwner(parts, { startingCredit: config.startingCredit, keepKey: writeFile });
  if (owner !== undefined) return;

  if (before.status === "rejected") throw unusableConfigDir(config.configDir, before.reason);
  const known = before.value?.key;
  await writeFile(known);
  if (known === undefined || !(await isValid(parts, known))) await warnOfMissingKey(parts, known);
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
      : "the daemon that made the owner has it; to have a key here, make one there with mkt keys create, and give it to mkt login here";
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
