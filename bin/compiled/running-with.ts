import type * as DaemonProgram from "../daemon-program.ts";
import type { CompiledProgram } from "./load-compiled.ts";
import type { StartingFlags } from "./starting-flags.ts";

type RunDaemon = typeof DaemonProgram.runDaemon;

/** Runs the daemon so that its start has these flags and leaves its compiled code; a start that fails ends them too. */
export function runningWith(
  flags: StartingFlags,
  daemon: CompiledProgram<Pick<typeof DaemonProgram, "runDaemon">>,
): RunDaemon {
  const onReady = () => {
    flags.during(() => void daemon.keep());
    flags.end();
  };
  return (config, surroundings) =>
    daemon.exports.runDaemon(config, { ...surroundings, onReady }).finally(() => flags.end());
}
