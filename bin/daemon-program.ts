// All that a daemon runs. The build makes one file of it, so that nothing of it is looked for after the start, when another
// version may stand in its place.
export { parseDaemonConfig } from "../daemon/config/daemon-config.ts";
export { toDaemonExit } from "../daemon/start/daemon-exit.ts";
export { outlastingFullDisk } from "../daemon/start/output-stream.ts";
export { runDaemon } from "../daemon/run-daemon.ts";
export { describeProgram } from "./describe-program.ts";
