import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { BackupReport } from "../shared/contract/admin.ts";
import { shellLine } from "../shared/words/shell-line.ts";
import { Facts } from "../cli/screen/Facts.tsx";
import { NextSteps } from "../cli/screen/NextSteps.tsx";
import { palette } from "../cli/screen/palette.ts";
import type { ViewProps } from "../cli/screen/view.ts";

export function BackupScreen({ value }: ViewProps<BackupReport>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold color={palette.good}>
        copied
      </Text>
      <Facts
        facts={[
          ["to", value.directory],
          ["segments", value.segments.toString()],
          ["bytes", value.bytes.toString()],
          ["last line", value.seq.toString()],
        ]}
      />
      <NextSteps
        steps={[
          { what: "Check it", command: shellLine("mkt", "doctor", "--data-dir", value.directory) },
          { what: "Start a daemon on it", command: shellLine("mkt", "daemon", "--data-dir", value.directory) },
        ]}
      />
    </Box>
  );
}
