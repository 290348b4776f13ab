import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { timeWords } from "../words/time-words.ts";
import { resourceEffectWords } from "../run/resource-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { progressWords } from "../run/progress-words.ts";
import { marketWords } from "../words/market-words.ts";
import { routeLines } from "../words/route-words.ts";
import { earlierWords, tookWords } from "../run/outcome-line.ts";
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
    ["route", run.route && targetWords(run.route)],
    ...routeLines(run).map((line): [string, string] => ["", line]),
    ["reason", run.reason],
    ["price", runPriceWords(run.price, run)],
    ["charged", run.cost && dollars(run.cost.value)],
    ["market", run.market && marketWords(run.market)],
    ["answer of", earlierWords(run)],
    ["overrun", run.overrun && dollars(run.overrun.value)],
    ["results", run.resultCount == null ? undefined : String(run.resultCount)],
    ["progress", progressWords(run)],
    ["approval", approvalFact(run)],
    ["created", timeWords(run.createdAt)],
    ["took", tookWords(run)],
    ["earlier try", run.retryOf],
    ["schedule", run.schedule && scheduleWords(run.schedule)],
    ["resources", resourceEffectWords(run.resources)],
    ["notes", run.notes?.join("; ")],
  ];
}

/** Who said what about it, and when. */
function approvalFact({ approval }: AnyRun): string | undefined {
  if (approval === undefined) return undefined;
  const { status, maximum, above, expiresAt, decidedAt, decidedBy, decidedByKey } = approval;
  if (status === "WAITING") {
    return `waits until ${timeWords(expiresAt)}: at most ${dollars(maximum.value)}, above ${dollars(above.value)}`;
  }
  const by = decidedByKey ?? decidedBy;
  return `${status}${by === undefined ? "" : ` by ${by}`}${decidedAt === undefined ? "" : ` at ${timeWords(decidedAt)}`}`;
}

function scheduleWords({ scheduleId, dueAt }: NonNullable<AnyRun["schedule"]>): string {
  return dueAt === undefined ? `${scheduleId}, asked for` : `${scheduleId}, due ${timeWords(dueAt)}`;
}

function providerWords({ httpStatus, error }: NonNullable<AnyRun["providerResponse"]>): string {
  return error ? `answered ${httpStatus}: ${error.message}` : `answered ${httpStatus}`;
}
