import { join } from "node:path";
import { sweepLeftovers } from "../../shared/replace-file.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { Logger } from "../base/logger.ts";
import { CONNECTIONS_FOLDER } from "../storage/documents/connection-files.ts";

/** Below the configuration folder, where files are replaced. */
const CONFIG_FOLDERS = ["", "local", "catalog", join("catalog", ".imported"), CONNECTIONS_FOLDER, "unwritten"];

/**
 * Removes temporary files of processes that died while they replaced a file, since they may contain a secret. A file
 * that cannot be removed is logged, and does not prevent the start.
 */
export async function sweepLeftFiles({ configDir, dataDir }: DaemonConfig, logger: Logger): Promise<void> {
  for (const folder of [...CONFIG_FOLDERS.map((name) => join(configDir, name)), join(dataDir, "docs")]) {
    try {
      await sweepLeftovers(folder);
    } catch (error) {
      logger.warn({ err: error, folder }, "leftovers of an interrupted write could not be removed; remove *.tmp there");
    }
  }
}
