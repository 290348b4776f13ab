import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { statusWords } from "../words/run-status-words.ts";
import { targetWords } from "../words/target.ts";
import { progressWords } from "./progress-words.ts";
import { isTerminal, type AnyRun } from "./run-outcome.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { resourceEffectWords } from "./resource-words.ts";
import { type Fact, Facts } from "../screen/Facts.tsx";
import { useLook } from "../screen/look.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { OutputData } from "../screen/json/OutputData.tsx";
import { shapeOutput } from "../screen/json/shape-output.ts";
import { authoredSteps, goingOnSteps, outputSteps } from "./run-steps.ts";
import { useTypingShell } from "../screen/typing-shell.ts";
import type { ViewProps } from "../screen/view.ts";

/** What a run gave. How it ended is the line below it; all that is known of it shows `mkt get-run`. */
export function RunResult({ value, full }: ViewProps<AnyRun>): ReactElement {
  const look = useLook();
  const shell = useTypingShell();
  const shaped = shapeOutput(value.output, { ...look, full });
  const goesOn = !isTerminal(value);
  const facts = resultFacts(value, goesOn).filter(([, fact]) => fact !== undefined && fact !== "");
  const steps = [
    ...(shaped.leftOut === undefined ? [] : outputSteps(value)),
    ...(goesOn ? goingOnSteps(value) : []),
    ...authoredSteps(value, shell),
  ];
  return (
    <Box flexDirection="column">
      <OutputData shaped={shaped} partsBelow={goesOn || facts.length > 0 || steps.length === 0} />
      {goesOn && <Text>{`${statusWords(value)}  ${targetWords(value)}`}</Text>}
      <Facts facts={facts} />
      <NextSteps steps={steps} />
    </Box>
  );
}

/** What the line below cannot hold, and is to be known all the same. */
function resultFacts(run: AnyRun, goesOn: boolean): Fact[] {
  return [
    ["run", goesOn ? run.runId : undefined],
    ["progress", goesOn ? progressWords(run) : undefined],
    ["earlier try", run.retryOf],
    ["resources", resourceEffectWords(run.resources)],
    ["overrun", run.overrun && dollars(run.overrun.value)],
    ["notes", run.notes?.join("; ")],
  ];
}
