import type { Command } from "commander";
import type { CliContext } from "../command/context.ts";
import { daemonExitCodes, exitCodes } from "../core/exit-codes.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { helpFor } from "./usage-failure.ts";

/** What to type after an error that names no next command of its own. docs/command-line.md, "Errors". */
export async function usualNextStep(
  { exitCode, code, waitHelps }: { exitCode: number; code: number; waitHelps?: boolean | undefined },
  context: CliContext,
  program: Command,
): Promise<string> {
  switch (exitCode) {
    case exitCodes.unauthorized:
      return "mkt whoami";
    case exitCodes.blocked:
      return "mkt wallet";
    case exitCodes.unreachable:
    case daemonExitCodes.dataFolderInUse:
      return "mkt daemon status";
    case daemonExitCodes.damagedData:
      return "mkt doctor";
    case exitCodes.failed:
      return code >= 500 ? await whereItIsTold(context) : shellLine("mkt", ...context.argv, "--debug");
    case exitCodes.overloaded:
      return waitHelps === true ? shellLine("mkt", ...context.argv) : await whereItIsTold(context);
    // Waiting may help.
    case exitCodes.waitingTimedOut:
    case exitCodes.interrupted:
      return shellLine("mkt", ...context.argv);
    default:
      return helpFor(program, context.argv);
  }
}

/** A service does not explain internal errors to callers; its log does. */
async function whereItIsTold(context: CliContext): Promise<string> {
  const { baseUrl } = await context.settings();
  return baseUrl?.from === "the local daemon" ? "mkt daemon logs --lines 20" : "mkt api GET /health";
}
