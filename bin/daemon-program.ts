// All code that a daemon runs. The build makes one file of it, so that nothing is loaded from the disk after the start,
// when another version may have been installed.
export { parseDaemonConfig } from "../daemon/config/daemon-config.ts";
export { toDaemonExit } from "../daemon/start/daemon-exit.ts";
export { outlastingFullDisk } from "../daemon/start/output-stream.ts";
export { runDaemon } from "../daemon/run-daemon.ts";
export { describeProgram } from "./describe-program.ts";
