import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { RunResourceEffect } from "../../shared/contract/runs.ts";
import { durationWords } from "../words/duration-words.ts";
import { dollars } from "../words/money-words.ts";
import type { ViewProps } from "./view.ts";
import { runPriceWords } from "../words/price-words.ts";
import { progressWords } from "../runs/progress-words.ts";
import { isTerminal, type AnyRun } from "../runs/run-outcome.ts";
import { shellLine } from "../words/shell-line.ts";
import { targetWords } from "../input/target.ts";
import { Facts } from "./Facts.tsx";
import { hintSteps } from "./hint-steps.ts";
import { useTypingShell } from "./typing-shell.ts";
import type { Shell } from "../../shared/hints/shell-words.ts";
import { useLook } from "./look.ts";
import { NextSteps, type NextStep } from "./NextSteps.tsx";
import { OutputData } from "./output/OutputData.tsx";
import { shapeOutput } from "./output/shape-output.ts";
import { statusColor } from "./status-color.ts";

/** One run: its data first, then how it went and what to do next. */
export function RunDetail({ value, full }: ViewProps<AnyRun>): ReactElement {
  const color = statusColor(value.status);
  const look = useLook();
  const shell = useTypingShell();
  const shaped = shapeOutput(value.output, { ...look, full });
  return (
    <Box flexDirection="column">
      <OutputData shaped={shaped} />
      {look.linear ? (
        <Facts facts={[["status", value.status, color], ["endpoint", targetWords(value)], ...runFacts(value)]} />
      ) : (
        <>
          <Text>
            <Text bold {...(color !== undefined && { color })}>
              {value.status}
            </Text>
            <Text>{`  ${targetWords(value)}`}</Text>
          </Text>
          <Facts facts={runFacts(value)} />
        </>
      )}
      <NextSteps steps={[...(shaped.leftOut === undefined ? [] : outputSteps(value)), ...runSteps(value, shell)]} />
    </Box>
  );
}

function runFacts(run: AnyRun): [string, string | undefined][] {
  const { providerResponse, error } = run;
  return [
    ["run", run.runId],
    ["provider", providerResponse && providerWords(providerResponse)],
    ["error", typeof error === "string" ? error : error?.message],
    ["reason", run.reason],
    ["price", runPriceWords(run.price, run)],
    ["charged", run.cost && dollars(run.cost.value)],
    ["results", run.resultCount == null ? undefined : String(run.resultCount)],
    ["progress", progressWords(run)],
    ["created", run.createdAt],
    ["took", tookWords(run)],
    ["earlier try", run.retryOf],
    ["resources", run.resources?.map(resourceWords).join("; ")],
    ["notes", run.notes?.join("; ")],
  ];
}

function resourceWords({ action, resourceId, identifier }: RunResourceEffect): string {
  return `${action} ${identifier} (${resourceId})`;
}

function providerWords({ httpStatus, error }: NonNullable<AnyRun["providerResponse"]>): string {
  return error ? `answered ${httpStatus}: ${error.message}` : `answered ${httpStatus}`;
}

function tookWords({ createdAt, completedAt }: AnyRun): string | undefined {
  const ms = completedAt === undefined ? Number.NaN : Date.parse(completedAt) - Date.parse(createdAt);
  return Number.isNaN(ms) ? undefined : durationWords(ms);
}

/** The run is kept: nobody has to pay for it again to see all of it. */
function outputSteps({ runId }: AnyRun): NextStep[] {
  return [
    { what: "See all of it", command: shellLine("mkt", "get-run", runId, "--full") },
    { what: "Write it to a file", command: `${shellLine("mkt", "get-run", runId)} -o <file>` },
  ];
}

// The service hints at reading and stopping a run too; ours say it better, with --wait and only where it can be stopped.
function runSteps(run: AnyRun, shell: Shell): NextStep[] {
  const hints = Object.entries(run.hints ?? {}).filter(([, hint]) => !isOurs(hint));
  const others = hintSteps(Object.fromEntries(hints), shell);
  if (isTerminal(run)) {
    const list = { what: "Your runs", command: "mkt runs" };
    return run.status === "COMPLETED" ? [...others, list] : [...others, lookAgain(run), list];
  }
  const wait = { what: "Wait for the result", command: shellLine("mkt", "get-run", run.runId, "--wait") };
  const stop = { what: "Stop it", command: shellLine("mkt", "stop", run.runId) };
  return run.stoppable === false ? [wait, ...others] : [wait, stop, ...others];
}

function isOurs(hint: unknown): boolean {
  return (
    typeof hint === "object" && hint !== null && "kind" in hint && (hint.kind === "getRun" || hint.kind === "stop")
  );
}

function lookAgain(run: AnyRun): NextStep {
  return { what: "What it takes", command: shellLine("mkt", "inspect", targetWords(run)) };
}
