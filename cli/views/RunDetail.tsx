import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { RunResourceEffect } from "../../shared/contract/runs.ts";
import { dollars } from "../money-words.ts";
import type { ViewProps } from "./view.ts";
import { runPriceWords } from "../price-words.ts";
import { isTerminal, type AnyRun } from "../run-outcome.ts";
import { shellLine } from "../shell-line.ts";
import { targetWords } from "../target.ts";
import { Facts } from "./Facts.tsx";
import { hintSteps } from "./hint-steps.ts";
import { NextSteps, type NextStep } from "./NextSteps.tsx";
import { statusColor } from "./status-color.ts";

const shownOutputLines = 40;

/** One run: its data first, then how it went and what to do next. */
export function RunDetail({ value, full }: ViewProps<AnyRun>): ReactElement {
  const color = statusColor(value.status);
  return (
    <Box flexDirection="column">
      <OutputData output={value.output} full={full} />
      <Text>
        <Text bold {...(color !== undefined && { color })}>
          {value.status}
        </Text>
        <Text>{`  ${targetWords(value)}`}</Text>
      </Text>
      <Facts facts={runFacts(value)} />
      <NextSteps steps={runSteps(value)} />
    </Box>
  );
}

function OutputData({ output, full }: { output: unknown; full: boolean }): ReactElement | null {
  if (output === undefined || output === null) return null;
  const lines = (typeof output === "string" ? output : JSON.stringify(output, null, 2)).split("\n");
  const shown = full ? lines : lines.slice(0, shownOutputLines);
  return (
    <Box flexDirection="column" marginBottom={1}>
      <Text wrap={full ? "wrap" : "truncate"}>{shown.join("\n")}</Text>
      {shown.length < lines.length && (
        <Text dimColor>{`… ${lines.length - shown.length} more lines: --full shows them, -o <file> writes them`}</Text>
      )}
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
    ["price", runPriceWords(run.price)],
    ["charged", run.cost && dollars(run.cost.value)],
    ["results", run.resultCount == null ? undefined : String(run.resultCount)],
    ["progress", run.progress === undefined ? undefined : String(run.progress)],
    ["created", run.createdAt],
    ["took", tookWords(run)],
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
  return Number.isNaN(ms) ? undefined : `${(ms / 1000).toFixed(1)} s`;
}

// The service hints at reading and stopping a run too; ours say it better, with --wait and only where it can be stopped.
function runSteps(run: AnyRun): NextStep[] {
  const others = hintSteps(Object.fromEntries(Object.entries(run.hints ?? {}).filter(([, hint]) => !isOurs(hint))));
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
