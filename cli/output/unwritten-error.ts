import { errorText } from "../../shared/error-text.ts";
import { CliError } from "../core/cli-error.ts";
import type { ExitCode } from "../core/exit-codes.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/**
 * The answer came and could not be written, to a file or to stdout: a full disk. What was asked for is done, so the command
 * itself must not be named as the next one.
 */
export class UnwrittenError extends CliError {
  /** What was to be written. */
  readonly text: string;

  constructor(exitCode: ExitCode, where: string, text: string, cause: unknown) {
    const why = errorText(cause);
    super(exitCode, `${where} cannot be written: ${why}. The service has answered; only its answer was not written.`, {
      next: shellLine("df", "-h", where === "stdout" ? "." : where),
      cause,
    });
    this.text = text;
  }
}
