// Stands in the build for daemon-program.ts, which is `daemon.cjs` there.
import type * as DaemonProgram from "../daemon-program.ts";
import { loadCompiled } from "./load-compiled.ts";
import { useStartingFlags } from "./starting-flags.ts";

const flags = useStartingFlags();
const daemon = loadCompiled<typeof DaemonProgram>(new URL("./daemon.cjs", import.meta.url));

export const { parseDaemonConfig, toDaemonExit, outlastingFullDisk, describeProgram } = daemon.exports;

/** As in the sources; when it is ready, what has been compiled by then is kept for the next start. */
export const runDaemon: typeof DaemonProgram.runDaemon = (config, surroundings) =>
  daemon.exports.runDaemon(config, { ...surroundings, onReady });

function onReady(): void {
  flags.during(() => void daemon.keep());
  flags.end();
}
