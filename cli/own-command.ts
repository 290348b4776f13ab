import { shellLine } from "./shell-line.ts";

/**
 * A command of `mkt` that we print, for the daemon of this invocation: `--data-dir` is kept where it was given, else the
 * command would speak to another daemon. Commands of others, and those for help, stay as they are.
 */
export function ownCommand(command: string, dataDir: string | undefined): string {
  if (dataDir === undefined || !command.startsWith("mkt ")) return command;
  if (command.endsWith(" --help") || / --data-dir[ =]/.test(command)) return command;
  // In front: behind a comment or `--` it would be no flag.
  return `${shellLine("mkt", "--data-dir", dataDir)}${command.slice("mkt".length)}`;
}
