import { askLine } from "./ask.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/**
 * Asks a person before something that cannot be undone; a no rejects, `--yes` answers. Where nobody can answer (no
 * terminal, `--no-input`) the command as typed is the answer, unless it `needsYes`: then it rejects and says what was
 * asked. docs/command-line.md, "Without a terminal".
 */
export async function confirm(
  context: CliContext,
  question: string,
  { needsYes = false }: { needsYes?: boolean } = {},
): Promise<void> {
  const { io, flags } = context;
  if (flags.yes) return;
  if (!flags.input || !io.isTty.stdin || !io.isTty.stderr) {
    if (!needsYes) return;
    throw new CliError(exitCodes.usage, `${question} Nobody can answer here, so nothing was changed.`, {
      next: shellLine("mkt", ...context.argv, "--yes"),
    });
  }
  const answer = await askLine(io, `${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CliError(exitCodes.failed, "Nothing was changed.");
}
