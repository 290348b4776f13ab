import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** An error that the CLI itself found: what happened, the exit code, and the command to type next. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  /** The service's HTTP status this stands for; 0 when the service was not asked or did not answer. */
  readonly status: number;

  constructor(exitCode: ExitCode, message: string, options: { next?: string; status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = exitCode;
    this.next = options.next;
    this.status = options.status ?? 0;
  }
}

/** Does the work; a CLI error without a next command gets this one. */
export async function withNextStep<Result>(next: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError) || error.next !== undefined) throw error;
    throw new CliError(error.exitCode, error.message, { next, status: error.status, cause: error });
  }
}

/** The command line cannot be understood. */
export function usageError(message: string, next?: string): CliError {
  return new CliError(exitCodes.usage, message, { ...(next !== undefined && { next }) });
}

/** The command line is understood, a value in it is not acceptable. */
export function refusedInput(message: string, next?: string): CliError {
  return new CliError(exitCodes.refused, message, { ...(next !== undefined && { next }) });
}
