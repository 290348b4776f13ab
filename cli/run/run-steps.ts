import type { Shell } from "../../shared/hints/shell-words.ts";
import { targetWords } from "../words/target.ts";
import { isTerminal, type AnyRun } from "./run-outcome.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { hintSteps } from "../screen/hint-steps.ts";
import type { NextStep } from "../screen/NextSteps.tsx";

/** How to get the data that a screen has not all of. It is kept: nobody has to pay for it again. */
export function outputSteps({ runId }: AnyRun): NextStep[] {
  return [
    { what: "See all of it", command: shellLine("mkt", "get-run", runId, "--full") },
    { what: "Write it to a file", command: `${shellLine("mkt", "get-run", runId)} -o <file>` },
  ];
}

/** What to do next about a run that is looked at. */
export function runSteps(run: AnyRun, shell: Shell): NextStep[] {
  if (!isTerminal(run)) return [...goingOnSteps(run), ...authoredSteps(run, shell)];
  const list = { what: "Your runs", command: "mkt runs" };
  const look = { what: "What it takes", command: shellLine("mkt", "inspect", targetWords(run)) };
  return [...authoredSteps(run, shell), ...(run.status === "COMPLETED" ? [] : [look]), list];
}

/** How to wait for a run that goes on, and how to stop it where that can be done. */
export function goingOnSteps({ runId, stoppable }: AnyRun): NextStep[] {
  const wait = { what: "Wait for the result", command: shellLine("mkt", "get-run", runId, "--wait") };
  const stop = { what: "Stop it", command: shellLine("mkt", "stop", runId) };
  return stoppable === false ? [wait] : [wait, stop];
}

/**
 * What the answer says to do next. It hints at reading and stopping the run too; ours say that better, with --wait and only
 * where it can be stopped.
 */
export function authoredSteps({ hints = {} }: AnyRun, shell: Shell): NextStep[] {
  return hintSteps(Object.fromEntries(Object.entries(hints).filter(([, hint]) => !isOurs(hint))), shell);
}

function isOurs(hint: unknown): boolean {
  return (
    typeof hint === "object" && hint !== null && "kind" in hint && (hint.kind === "getRun" || hint.kind === "stop")
  );
}
