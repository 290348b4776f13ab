import type { BudgetAlert } from "../../shared/contract/controls.ts";
import { withNextStep } from "../cli-error.ts";
import type { CliContext } from "../context.ts";
import { exitCodeOfRun, exitCodes } from "../exit-codes.ts";
import { dollars } from "../words/money-words.ts";
import type { Output, View } from "../output/output.ts";
import type { ToldError } from "../output/told-error.ts";
import { runStatusColor } from "../views/status-color.ts";
import { outcomeLine } from "./outcome-line.ts";
import { describeOutcome, isTerminal, type AnyRun } from "./run-outcome.ts";
import { targetWords } from "../input/target.ts";

export interface Reporting {
  /** Whether it should have ended by now. */
  readonly waited: boolean;
  readonly view: View<AnyRun>;
}

/**
 * Prints a run and sets the exit code by how it stands. How it ended is the last line on stderr, or with `--json` and a run
 * that went wrong, the error. CLI rules 1, 2 and 11.
 */
export async function reportRun(context: CliContext, run: AnyRun, { waited, view }: Reporting): Promise<void> {
  const { output } = context;
  const isOver = isTerminal(run);
  context.exitCode = isOver || !waited ? exitCodeOfRun(run) : exitCodes.waitingTimedOut;

  const data = context.exitCode === exitCodes.delivered && isOver ? run.output : undefined;
  // What cannot be printed as it was asked for is there all the same, and paid.
  await withNextStep(output.command("get-run", run.runId), () => output.show(run, view, { data }));
  if (!isOver && !waited && !output.drawsScreens) {
    await output.note(`Run ${run.runId} goes on: ${output.command("get-run", run.runId, "--wait")}`);
  }
  for (const alert of run.alerts ?? []) await output.note(`Warning: ${alertWords(alert)}`);
  const failure = describeFailure(run, waited, output);
  if (failure && !context.flags.json) await output.error(failure);
  if (isOver) await noteOutcome(run, output);
  if (failure && context.flags.json) await output.error(failure);
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
  if (!isTerminal(run)) {
    if (!waited) return undefined;
    return {
      ...told,
      message: `Run ${run.runId} is still ${run.status}; it goes on. To stop it: ${output.command("stop", run.runId)}`,
      next: output.command("get-run", run.runId, "--wait"),
    };
  }
  const message = describeOutcome(run);
  return message === undefined ? undefined : { ...told, message, next: output.command(...nextWords(run)) };
}

/** What the service answered with, where the run came as an error: 408, or the provider's status, mirrored. Else 0. */
function errorStatusOf(run: AnyRun): number {
  return "code" in run && typeof run.code === "number" && run.code >= 400 ? run.code : 0;
}

/** The run is told whole by now: what is left to look at is what refused it, else what its endpoint takes. */
function nextWords(run: AnyRun): string[] {
  const [control] = run.controls ?? [];
  if (control === undefined) return ["inspect", targetWords(run)];
  return [control.controlType === "WORKSPACE_BUDGET" ? "budgets" : "caps", "get", control.controlId];
}
