// Stands in the build for daemon-program.ts, which is `daemon.cjs` there.
import type * as DaemonProgram from "../daemon-program.ts";
import { loadCompiled } from "./load-compiled.ts";
import { runningWith } from "./running-with.ts";
import { useStartingFlags } from "./starting-flags.ts";

const flags = useStartingFlags();
const daemon = loadCompiled<typeof DaemonProgram>(new URL("./daemon.cjs", import.meta.url));

export const { parseDaemonConfig, toDaemonExit, outlastingFullDisk, describeProgram } = daemon.exports;

/** As in the sources; when it is ready, what has been compiled by then is kept for the next start. */
export const runDaemon = runningWith(flags, daemon);
