import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { Facts } from "../cli/screen/Facts.tsx";
import { palette } from "../cli/screen/palette.ts";
import type { ViewProps } from "../cli/screen/view.ts";
import type { Migrated } from "../daemon/offline/migrate/migrate-data.ts";

export function MigrateScreen({ value }: ViewProps<Migrated>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold color={palette.good}>
        moved, and compared: both hold the same
      </Text>
      <Facts
        facts={[
          ["from", value.from],
          ["to", value.to],
          ["lines", value.lines.toString()],
          ["runs", value.runs.toString()],
          ["outputs", `${value.outputs}, ${value.outputBytes} bytes`],
          ["balances", `${value.accounts}, ${value.micro} micro-dollars where positive`],
          ["documents", value.documents.toString()],
          ["hash of balances", value.balances],
          ["hash of lines", value.content],
        ]}
      />
    </Box>
  );
}
