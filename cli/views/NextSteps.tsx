import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { Unbroken } from "./Unbroken.tsx";

export interface NextStep {
  /** What it is for, in a few words. */
  what: string;
  command: string;
}

/** The end of every screen: commands ready to type. They are never cut or broken, that would make them others. */
export function NextSteps({ steps }: { steps: readonly NextStep[] }): ReactElement | null {
  if (steps.length === 0) return null;
  return (
    <Box flexDirection="column" marginTop={1}>
      {steps.map(({ what, command }) => (
        <Unbroken key={`${what} ${command}`} length={what.length + command.length}>
          <Text dimColor>{what}: </Text>
          <Text color="cyan">{command}</Text>
        </Unbroken>
      ))}
    </Box>
  );
}
