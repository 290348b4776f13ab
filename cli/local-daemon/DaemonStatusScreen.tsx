import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { countWords } from "../../shared/count-words.ts";
import type { DaemonStatus } from "./local-daemon.ts";
import type { ViewProps } from "../screen/view.ts";
import { timeWords } from "../words/time-words.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";

export function DaemonStatusScreen({ value }: ViewProps<DaemonStatus>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold color={value.running ? palette.good : palette.notable}>
        {value.running ? "running" : "not running"}
      </Text>
      <Facts
        facts={[
          ["address", value.url ?? undefined],
          ["registry", value.registryUrl ?? undefined],
          ["process", value.pid?.toString()],
          ["version", value.version ?? undefined],
          [
            "on the disk",
            value.replacedBy === null ? undefined : `${value.replacedBy}, another build: restart to use it`,
          ],
          ["data", value.dataDir],
          [
            "damaged",
            value.damagedPlaces === null ? undefined : `${countWords(value.damagedPlaces, "place")} on the disk`,
          ],
          ["started", value.startedAt ? timeWords(value.startedAt) : undefined],
        ]}
      />
      <NextSteps
        steps={
          value.running
            ? [
                ...(value.damagedPlaces === null ? [] : [{ what: "See what is damaged", command: "mkt doctor" }]),
                ...(value.replacedBy === null
                  ? []
                  : [{ what: "Run what was installed", command: "mkt daemon stop && mkt daemon start" }]),
                { what: "Find something to run", command: "mkt discover <words>" },
                { what: "Stop it", command: "mkt daemon stop" },
              ]
            : [{ what: "Start it", command: "mkt daemon start" }]
        }
      />
    </Box>
  );
}
