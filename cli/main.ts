import { type Command, CommanderError } from "commander";
import { processIo, type CliIo } from "./cli-io.ts";
import { CliContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeFailure, type Failure } from "./failure.ts";
import { createProgram, type Mount } from "./program.ts";
import { describeUsage, helpFor } from "./usage-failure.ts";

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
  let program: Command | undefined;
  try {
    program = createProgram(context, mount);
    if (argv.length === 0) {
      program.outputHelp();
      return exitCodes.delivered;
    }
    await program.parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.delivered;
    return reportFailure(thrown, context, program);
  }
}

async function reportFailure(thrown: unknown, context: CliContext, program?: Command): Promise<number> {
  try {
    const failure = await toFailure(thrown, context, program);
    await context.output.error(failure);
    if (context.flags.debug && thrown instanceof Error) await context.output.note(String(thrown.stack));
    return exitCodeIn(thrown) ?? failure.exitCode;
  } catch {
    // Nowhere left to say it.
    return exitCodes.failed;
  }
}

async function toFailure(thrown: unknown, context: CliContext, program?: Command): Promise<Failure> {
  if (program !== undefined && thrown instanceof CommanderError) return describeUsage(thrown, program, context.argv);
  const failure = await describeFailure(thrown, context);
  if (program === undefined || failure.exitCode !== exitCodes.usage) return failure;
  return { ...failure, next: failure.next ?? helpFor(program, context.argv) };
}

function exitCodeIn(thrown: unknown): number | undefined {
  if (thrown instanceof CommanderError || !(thrown instanceof Error) || !("exitCode" in thrown)) return undefined;
  return typeof thrown.exitCode === "number" ? thrown.exitCode : undefined;
}
