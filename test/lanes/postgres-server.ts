import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sharedFolder } from "../support/postgres.ts";

/** After all tests: stops the server that they shared, if one of them needed it. */
export default function setup(): () => Promise<void> {
  return async () => {
    const folder = sharedFolder();
    const pidFile = join(folder, "data", "postmaster.pid");
    if (existsSync(pidFile)) {
      const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
      // At once: nothing of it is needed again.
      if (pid > 0) process.kill(pid, "SIGQUIT");
      for (let waits = 0; existsSync(pidFile) && waits < 100; waits += 1) await delay(20);
    }
    rmSync(folder, { recursive: true, force: true });
  };
}
