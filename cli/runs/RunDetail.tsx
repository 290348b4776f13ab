import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { timeWords } from "../words/time-words.ts";
import { resourceEffectWords } from "../run/resource-words.ts";
import { dollars } from "../words/money-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { runPriceWords } from "../words/price-words.ts";
import { progressWords } from "../run/progress-words.ts";
import { tookWords } from "../run/outcome-line.ts";
import type { AnyRun } from "../run/run-outcome.ts";
import { isDelivered, statusWords } from "../words/run-status-words.ts";
import { targetWords } from "../words/target.ts";
import { Facts } from "../screen/Facts.tsx";
import { useTypingShell } from "../screen/typing-shell.ts";
import { useLook } from "../screen/look.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { OutputData } from "../screen/json/OutputData.tsx";
import { outputSteps, runSteps } from "../run/run-steps.ts";
import { shapeOutput } from "../screen/json/shape-output.ts";
import { runStatusColor } from "../screen/status-color.ts";

/** One run: its data first, then how it went and what to do next. */
export function RunDetail({ value, full }: ViewProps<AnyRun>): ReactElement {
  const status = statusWords(value);
  const color = runStatusColor(value);
  const look = useLook();
  const shell = useTypingShell();
  const shaped = shapeOutput(value.output, { ...look, full });
  return (
    <Box flexDirection="column">
      <OutputData shaped={shaped} />
      {look.linear ? (
        <Facts facts={[["status", status, color], ["endpoint", targetWords(value)], ...runFacts(value)]} />
      ) : (
        <>
          <Text>
            <Text bold {...(color !== undefined && { color })}>
              {status}
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
    ["provider", providerResponse && !isDelivered(run) ? providerWords(providerResponse) : undefined],
    ["error", typeof error === "string" ? error : error?.message],
    ["reason", run.reason],
    ["price", runPriceWords(run.price, run)],
    ["charged", run.cost && dollars(run.cost.value)],
    ["overrun", run.overrun && dollars(run.overrun.value)],
    ["results", run.resultCount == null ? undefined : String(run.resultCount)],
    ["progress", progressWords(run)],
    ["created", timeWords(run.createdAt)],
    ["took", tookWords(run)],
    ["earlier try", run.retryOf],
    ["resources", resourceEffectWords(run.resources)],
    ["notes", run.notes?.join("; ")],
  ];
}

function providerWords({ httpStatus, error }: NonNullable<AnyRun["providerResponse"]>): string {
  return error ? `answered ${httpStatus}: ${error.message}` : `answered ${httpStatus}`;
}
