import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { NextSteps } from "../screen/NextSteps.tsx";
import type { ViewProps } from "../screen/view.ts";
import type { OpenedConsole } from "./opened-console.ts";

export function ConsoleOpened({ value: { address, opened } }: ViewProps<OpenedConsole>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>
        {opened
          ? "The console is open in the browser. If it is not, open this address yourself, within a minute:"
          : "Open this address in a browser, within a minute. It works once:"}
      </Text>
      <Text bold>{address}</Text>
      <NextSteps
        steps={[
          { what: "Get another address", command: "mkt console" },
          { what: "See who is signed in", command: "mkt keys" },
        ]}
      />
    </Box>
  );
}
