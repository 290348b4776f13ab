import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { type NextStep, NextSteps } from "./NextSteps.tsx";

/** What stands in place of a table that would have no rows: a sentence, and the command that helps. */
export function EmptyList({ says, next }: { readonly says: string; readonly next: NextStep }): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{says}</Text>
      <NextSteps steps={[next]} />
    </Box>
  );
}
