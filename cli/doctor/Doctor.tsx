import { Box, Text } from "ink";
import { type ReactElement, useContext } from "react";
import type { DoctorReport } from "./report.ts";
import { OwnCommand } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { Unbroken } from "../screen/Unbroken.tsx";
import type { ViewProps } from "../screen/view.ts";

const colors = { ok: palette.good, found: palette.bad, skipped: palette.notable } as const;

/** One line for each check, then the findings with the command that fixes each. */
export function Doctor({ value: { checks, findings } }: ViewProps<DoctorReport>): ReactElement {
  const nameWidth = Math.max(0, ...checks.map(({ check }) => check.length));
  return (
    <Box flexDirection="column">
      {checks.map(({ check, state, saw }) => (
        <Box key={check} columnGap={2}>
          <Box flexShrink={0} width={7}>
            <Text color={colors[state]}>{state}</Text>
          </Box>
          <Box flexShrink={0} width={nameWidth}>
            <Text>{check}</Text>
          </Box>
          <Text dimColor={state === "skipped"}>{saw}</Text>
        </Box>
      ))}
      {findings.map(({ check, message, next }, index) => (
        <Box key={index} flexDirection="column" marginTop={1}>
          <Text>{`${index + 1}. ${check}: ${message}`}</Text>
          <Mend command={next} />
        </Box>
      ))}
      <Box marginTop={1}>
        <Text bold>{verdict(findings.length)}</Text>
      </Box>
    </Box>
  );
}

/** Never cut or broken: that would make it another command. */
function Mend({ command }: { command: string }): ReactElement {
  const own = useContext(OwnCommand)(command);
  const label = "   Fix it: ";
  return (
    <Unbroken length={label.length + own.length}>
      <Text dimColor>{label}</Text>
      <Text color={palette.command}>{own}</Text>
    </Unbroken>
  );
}

function verdict(count: number): string {
  if (count === 0) return "Nothing is wrong.";
  return count === 1 ? "One finding." : `${count} findings.`;
}
