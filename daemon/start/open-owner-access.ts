import { readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { findProcessIdentity } from "../../shared/process-identity.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { unusableConfigDir } from "../config/config-refused.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { Logger } from "../base/logger.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
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
 * valid key that nobody has. Rejects with `ConfigRefused` if the configuration folder cannot be used.
 */
export async function openOwnerAccess(
  parts: OwnerAccessParts,
  { url, registryUrl }: { readonly url: string; readonly registryUrl: string },
): Promise<void> {
  const { config, clock, logger } = parts;
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
  const owner = await ensureOwner(parts, { startingCredit: config.startingCredit, keepKey: writeFile });
  if (owner !== undefined) return;

  const known = await inConfigFolder(config, async () => await readLocalDaemonFile(config.configDir, config.dataDir));
  if (known?.key === undefined) {
    logger.warn(
      { configDir: config.configDir },
      "the owner key is not in this configuration folder; to create a new one, stop the daemon and run mkt daemon reset-owner-key",
    );
  }
  await writeFile(known?.key);
}

async function inConfigFolder<Result>({ configDir }: DaemonConfig, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  }
}
