import type { Logger } from "../base/logger.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";

/** Returns the version installed on the disk if it is not the running one; logs that once. */
export function watchInstalled({ program }: DaemonConfig, logger: Logger): () => Promise<string | undefined> {
  let isTold = false;
  return async () => {
    const installed = await program?.installed();
    if (installed === undefined || installed.build === program?.build) return undefined;
    if (!isTold) logger.warn({ installed }, "another build was installed; restart the daemon to run it");
    isTold = true;
    return installed.version;
  };
}
