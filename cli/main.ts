import { CommanderError } from "commander";
import { processIo, type CliIo } from "./cli-io.ts";
import { CliContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeFailure, type Failure } from "./failure.ts";
import { createProgram, type Mount } from "./program.ts";

export interface RunCliOptions extends Partial<CliIo> {
  version: string;
  /** Adds commands that are not the CLI's own. What one of them throws with a numeric `exitCode` ends with that code. */
  mount?: Mount;
}

/**
 * Runs one command line (the words after `mkt`) and returns its exit code. Never throws and never ends the process.
 * Streams, environment and terminal facts are those of this process where the options do not give others.
 */
export async function runCli(argv: readonly string[], options: RunCliOptions): Promise<number> {
  const { mount, ...given } = options;
  const context = new CliContext({ ...processIo(options.version), ...given }, argv);
  try {
    const program = createProgram(context, mount);
    if (argv.length === 0) {
      program.outputHelp();
      return exitCodes.delivered;
    }
    await program.parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.delivered;
    return reportFailure(thrown, context);
  }
}

async function reportFailure(thrown: unknown, context: CliContext): Promise<number> {
  try {
    const failure =
      thrown instanceof CommanderError ? usageFailure(thrown, context) : await describeFailure(thrown, context);
    await context.output.error(failure);
    if (context.flags.debug && thrown instanceof Error) await context.output.note(String(thrown.stack));
    return exitCodeIn(thrown) ?? failure.exitCode;
  } catch {
    // Nowhere left to say it.
    return exitCodes.failed;
  }
}

function usageFailure(error: CommanderError, context: CliContext): Failure {
  // Commander asks for help this way when a group is called without a command; the help is out already.
  const isHelp = error.code === "commander.help";
  const message = isHelp ? "A command is missing." : error.message.replace(/^error: /, "");
  return { exitCode: exitCodes.usage, code: 0, message, next: helpCommand(context) };
}

function helpCommand({ argv }: CliContext): string {
  const words = argv.slice(0, 2).filter((word) => /^[a-z][a-zA-Z-]*$/.test(word));
  return ["mkt", ...words.slice(0, 1), "--help"].join(" ");
}

function exitCodeIn(thrown: unknown): number | undefined {
  if (thrown instanceof CommanderError || !(thrown instanceof Error) || !("exitCode" in thrown)) return undefined;
  return typeof thrown.exitCode === "number" ? thrown.exitCode : undefined;
}
