import type { BudgetAlert } from "../../shared/contract/controls.ts";
import { CliError } from "../core/cli-error.ts";
import { UnwrittenError } from "../output/unwritten-error.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodeOfRun, exitCodes, isAwaitingApproval } from "../core/exit-codes.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { Output } from "../output/output.ts";
import type { View } from "../screen/view.ts";
import type { ToldError } from "../core/told-error.ts";
import { runStatusColor } from "../screen/status-color.ts";
import { approvalWords } from "./approval-words.ts";
import { outcomeLine } from "./outcome-line.ts";
import { routeLines } from "../words/route-words.ts";
import { describeOutcome, isTerminal, type AnyRun } from "./run-outcome.ts";
import { targetWords } from "../words/target.ts";

export interface Reporting {
  /** Whether it should have ended by now. */
  readonly waited: boolean;
  readonly view: View<AnyRun>;
}

/**
 * Prints a run and sets the exit code by how it stands. How it ended is the last line on stderr, or with `--json` and a run
 * that went wrong, the error. docs/command-line.md, "Data and messages", "Exit codes" and "Long lists and money".
 */
export async function reportRun(context: CliContext, run: AnyRun, { waited, view }: Reporting): Promise<void> {
  const { output } = context;
  const isOver = isTerminal(run);
  const awaitsApproval = isAwaitingApproval(run);
  context.exitCode = isOver || !waited || awaitsApproval ? exitCodeOfRun(run) : exitCodes.waitingTimedOut;

  const data = context.exitCode === exitCodes.delivered && isOver ? run.output : undefined;
  try {
    await output.show(run, view, { data });
  } catch (error) {
    throw await explainUnprinted(error, run, output);
  }
  if (!isOver && !waited && !awaitsApproval && !output.drawsScreens) {
    await output.note(`Run ${run.runId} continues: ${output.command("get-run", run.runId, "--wait")}`);
  }
  for (const line of routeLines(run)) await output.note(line);
  for (const alert of run.alerts ?? []) await output.note(`Warning: ${alertWords(alert)}`);
  const failure = describeFailure(run, waited, output);
  if (failure && !context.flags.json) await output.error(failure);
  if (isOver) await noteOutcome(run, output);
  if (failure && context.flags.json) await output.error(failure);
}

/** What cannot be printed as it was asked for is there all the same, and paid. */
async function explainUnprinted(error: unknown, run: AnyRun, output: Output): Promise<unknown> {
  const read = output.command("get-run", run.runId);
  if (error instanceof UnwrittenError) {
    if (isTerminal(run)) await noteOutcome(run, output);
    const message = `${error.message} The result is stored with run ${run.runId}; reading it costs nothing.`;
    return new CliError(error.exitCode, message, { next: `${read} -o <file>`, cause: error });
  }
  if (!(error instanceof CliError) || error.next !== undefined) return error;
  return new CliError(error.exitCode, error.message, { next: read, status: error.status, cause: error });
}

async function noteOutcome(run: AnyRun, output: Output): Promise<void> {
  const { status, line } = outcomeLine(run);
  await output.note(line, { words: status, color: runStatusColor(run) });
}

function alertWords({ controlId, percent, period, spent, limit }: BudgetAlert): string {
  const amounts = `${dollars(spent.value)} of ${dollars(limit.value)}`;
  return `the budget ${controlId} has reached ${percent} % of its ${period.toLowerCase()}: ${amounts} spent.`;
}

function describeFailure(run: AnyRun, waited: boolean, output: Output): ToldError | undefined {
  const { runId, status } = run;
  const told = { code: errorStatusOf(run), runId, status };
  if (isAwaitingApproval(run)) {
    return { ...told, message: approvalWords(run, output), next: output.command("get-run", runId, "--wait") };
  }
  if (!isTerminal(run)) {
    if (!waited) return undefined;
    return {
      ...told,
      message: `Run ${run.runId} is still ${run.status} and continues. To stop it: ${output.command("stop", run.runId)}`,
      next: output.command("get-run", run.runId, "--wait"),
    };
  }
  const message = describeOutcome(run);
  const next = typeof run.error === "object" ? run.error.next : undefined;
  return message === undefined ? undefined : { ...told, message, next: next ?? output.command(...nextWords(run)) };
}

/** What the service answered with, where the run came as an error: 408, or the provider's status, mirrored. Else 0. */
function errorStatusOf(run: AnyRun): number {
  return "code" in run && typeof run.code === "number" && run.code >= 400 ? run.code : 0;
}

/** The run is told whole by now: what is left to look at is what refused it, else what its endpoint takes. */
function nextWords(run: AnyRun): string[] {
  const [control] = run.controls ?? [];
  if (run.approval !== undefined && control === undefined) return ["approvals", "show", run.runId];
  if (control === undefined) return ["inspect", targetWords(run)];
  return [control.controlType === "WORKSPACE_BUDGET" ? "budgets" : "caps", "get", control.controlId];
}
