import type { Health } from "../../shared/contract/service.ts";
import { createClient } from "../../shared/client/client.ts";
import { readLocalDaemonFile, type LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { isDaemonAlive } from "../connection/daemon-alive.ts";

/** What `mkt daemon status --json` prints. Members are null when the daemon does not run. */
export interface DaemonStatus {
  running: boolean;
  url: string | null;
  registryUrl: string | null;
  pid: number | null;
  version: string | null;
  dataDir: string;
  startedAt: string | null;
  /** The version on the disk, if another was installed since the start: a restart runs it. */
  replacedBy: string | null;
  /** Places of the data that are known to be damaged: `mkt doctor` names them. */
  damagedPlaces: number | null;
}

/** A daemon that answered. */
export interface RunningDaemon extends LocalDaemonFile {
  readonly replacedBy?: string;
  readonly damagedPlaces?: number;
}

/**
 * The daemon of a data folder if it runs: its process is alive and answers at the address in its file, with the
 * identity in that file.
 */
export async function findRunningDaemon(places: Places): Promise<RunningDaemon | undefined> {
  const file = await readLocalDaemonFile(places.configDir, places.dataDir);
  if (file === undefined || !isDaemonAlive(file)) return undefined;
  const health = await healthOf(file);
  if (health === undefined) return undefined;
  const { replacedBy, damagedPlaces } = health;
  return {
    ...file,
    ...(replacedBy !== undefined && { replacedBy }),
    ...(damagedPlaces !== undefined && { damagedPlaces }),
  };
}

export function daemonStatus(places: Places, running: RunningDaemon | undefined): DaemonStatus {
  return {
    running: running !== undefined,
    url: running?.url ?? null,
    registryUrl: running?.registryUrl ?? null,
    pid: running?.pid ?? null,
    version: running?.version ?? null,
    dataDir: running?.dataDir ?? places.dataDir,
    startedAt: running?.startedAt ?? null,
    replacedBy: running?.replacedBy ?? null,
    damagedPlaces: running?.damagedPlaces ?? null,
  };
}

const healthTimeoutMs = 5_000;

// Without the key: until it has answered, this may be another program that took over the port.
async function healthOf(file: LocalDaemonFile): Promise<Health | undefined> {
  try {
    const health = await createClient({ baseUrl: file.url }).getHealth(
      {},
      { signal: AbortSignal.timeout(healthTimeoutMs) },
    );
    return health.version === file.version ? health : undefined;
  } catch {
    return undefined;
  }
}
