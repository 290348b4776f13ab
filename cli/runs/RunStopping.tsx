import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { RunStopAccepted } from "../../shared/contract/runs.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { NextSteps } from "../screen/NextSteps.tsx";

export function RunStopping({ value }: ViewProps<RunStopAccepted>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{value.message}</Text>
      <NextSteps steps={[{ what: "How it ended", command: shellLine("mkt", "get-run", value.runId, "--wait") }]} />
    </Box>
  );
}
