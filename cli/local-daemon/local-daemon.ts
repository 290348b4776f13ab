import { createClient } from "../../shared/client/client.ts";
import { readLocalDaemonFile, type LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { isDaemonAlive } from "./daemon-alive.ts";

/** What `mkt daemon status --json` prints. Members are null when the daemon does not run. */
export interface DaemonStatus {
  running: boolean;
  url: string | null;
  registryUrl: string | null;
  pid: number | null;
  version: string | null;
  dataDir: string;
  startedAt: string | null;
}

/** The daemon of a data folder if it runs: its process lives and answers at the address it left, as what it said it is. */
export async function findRunningDaemon(places: Places): Promise<LocalDaemonFile | undefined> {
  const file = await readLocalDaemonFile(places.configDir, places.dataDir);
  if (file === undefined || !isDaemonAlive(file)) return undefined;
  return (await answers(file)) ? file : undefined;
}

export function daemonStatus(places: Places, running: LocalDaemonFile | undefined): DaemonStatus {
  return {
    running: running !== undefined,
    url: running?.url ?? null,
    registryUrl: running?.registryUrl ?? null,
    pid: running?.pid ?? null,
    version: running?.version ?? null,
    dataDir: running?.dataDir ?? places.dataDir,
    startedAt: running?.startedAt ?? null,
  };
}

const healthTimeoutMs = 5_000;

// Without the key: until it has answered, this may be another program that took over the port.
async function answers(file: LocalDaemonFile): Promise<boolean> {
  try {
    const health = await createClient({ baseUrl: file.url }).getHealth(
      {},
      { signal: AbortSignal.timeout(healthTimeoutMs) },
    );
    return health.version === file.version;
  } catch {
    return false;
  }
}
