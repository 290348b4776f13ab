import { type Command, CommanderError } from "commander";
import { processIo, type CliIo } from "./core/cli-io.ts";
import type { CliContext } from "./command/context.ts";
import { Invocation } from "./invocation.ts";
import { exitCodes } from "./core/exit-codes.ts";
import { describeFailure, type Failure } from "./failure/failure.ts";
import { createProgram, type Mount } from "./program.ts";
import { describeUsage } from "./failure/usage-failure.ts";
import { usualNextStep } from "./failure/usual-next-step.ts";

export interface RunCliOptions extends Partial<CliIo> {
  version: string;
  /**
   * Adds commands that are not the CLI's own. If one throws an error with a numeric `exitCode`, that is the exit code.
   */
  mount?: Mount;
}

/**
 * Runs one command line (the words after `mkt`) and returns its exit code. Never throws and never ends the process.
 * Streams, environment and terminal facts are those of this process where the options do not give others.
 */
export async function runCli(argv: readonly string[], options: RunCliOptions): Promise<number> {
  const { mount, ...given } = options;
  // Not copied by its members: to look at this process's stdin is to open it.
  const io: CliIo = Object.defineProperties(processIo(options.version), Object.getOwnPropertyDescriptors(given));
  const context = new Invocation(io, argv);
  context.wholeProgram = () => createProgram(context, mount);
  let program: Command | undefined;
  try {
    program = await createProgram(context, mount, argv[0]);
    await program.parseAsync([...argv], { from: "user" });
    await context.output.end();
    return context.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.delivered;
    return reportFailure(thrown, context, program);
  } finally {
    await context.end();
  }
}

async function reportFailure(thrown: unknown, context: CliContext, program?: Command): Promise<number> {
  try {
    const failure = await toFailure(thrown, context, program);
    if (context.flags.debug && thrown instanceof Error) await context.output.debug(String(thrown.stack));
    await context.output.error(failure);
    return exitCodeIn(thrown) ?? failure.exitCode;
  } catch {
    // Nowhere left to say it.
    return exitCodes.failed;
  }
}

async function toFailure(thrown: unknown, context: CliContext, program?: Command): Promise<Failure> {
  if (program !== undefined && thrown instanceof CommanderError) return describeUsage(thrown, program, context.argv);
  const failure = await describeFailure(thrown, context);
  if (program === undefined || failure.next !== undefined) return failure;
  return {
    ...failure,
    next: await usualNextStep({ ...failure, exitCode: exitCodeIn(thrown) ?? failure.exitCode }, context, program),
  };
}

function exitCodeIn(thrown: unknown): number | undefined {
  if (thrown instanceof CommanderError || !(thrown instanceof Error) || !("exitCode" in thrown)) return undefined;
  return typeof thrown.exitCode === "number" ? thrown.exitCode : undefined;
}
