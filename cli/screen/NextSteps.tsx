import { Box, Text } from "ink";
import { createContext, type ReactElement, useContext } from "react";
import { palette } from "./palette.ts";
import { Unbroken } from "./Unbroken.tsx";

export interface NextStep {
  /** What it is for, in a few words. */
  what: string;
  command: string;
}

/** How a command is written for the daemon that this invocation speaks to. */
export const OwnCommand = createContext((command: string): string => command);

/** The end of every screen: commands ready to type. They are never cut or broken, that would make them others. */
export function NextSteps({ steps }: { steps: readonly NextStep[] }): ReactElement | null {
  const toOwnCommand = useContext(OwnCommand);
  if (steps.length === 0) return null;
  const shown = steps.map(({ what, command }) => ({ what, command: toOwnCommand(command) }));
  return (
    <Box flexDirection="column" marginTop={1}>
      {shown.map(({ what, command }) => (
        <Unbroken key={`${what} ${command}`} length={what.length + command.length}>
          <Text dimColor>{what}: </Text>
          <Text color={palette.command}>{command}</Text>
        </Unbroken>
      ))}
    </Box>
  );
}
