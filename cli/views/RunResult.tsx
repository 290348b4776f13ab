import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { targetWords } from "../input/target.ts";
import { progressWords } from "../runs/progress-words.ts";
import { isTerminal, type AnyRun } from "../runs/run-outcome.ts";
import { dollars } from "../words/money-words.ts";
import { resourceEffectWords } from "../words/resource-words.ts";
import { Facts } from "./Facts.tsx";
import { useLook } from "./look.ts";
import { NextSteps } from "./NextSteps.tsx";
import { OutputData } from "./output/OutputData.tsx";
import { shapeOutput } from "./output/shape-output.ts";
import { authoredSteps, goingOnSteps, outputSteps } from "./run-steps.ts";
import { useTypingShell } from "./typing-shell.ts";
import type { ViewProps } from "./view.ts";

/** What a run gave. How it ended is the line below it; all that is known of it shows `mkt get-run`. */
export function RunResult({ value, full }: ViewProps<AnyRun>): ReactElement {
  const look = useLook();
  const shell = useTypingShell();
  const shaped = shapeOutput(value.output, { ...look, full });
  const goesOn = !isTerminal(value);
  return (
    <Box flexDirection="column">
      <OutputData shaped={shaped} />
      {goesOn && <Text>{`${value.status}  ${targetWords(value)}`}</Text>}
      <Facts
        facts={[
          ["run", goesOn ? value.runId : undefined],
          ["progress", goesOn ? progressWords(value) : undefined],
          ["earlier try", value.retryOf],
          ["resources", resourceEffectWords(value.resources)],
          ["overrun", value.overrun && dollars(value.overrun.value)],
          ["notes", value.notes?.join("; ")],
        ]}
      />
      <NextSteps
        steps={[
          ...(shaped.leftOut === undefined ? [] : outputSteps(value)),
          ...(goesOn ? goingOnSteps(value) : []),
          ...authoredSteps(value, shell),
        ]}
      />
    </Box>
  );
}
