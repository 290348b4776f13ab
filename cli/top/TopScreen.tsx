import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { ViewProps } from "../screen/view.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { TopBudgets, TopErrors, TopHead, TopProviders } from "./TopSections.tsx";
import { TopRuns } from "./TopRuns.tsx";
import { shownRuns } from "./top-state.ts";
import type { TopSnapshot } from "./top-snapshot.ts";

/** One snapshot, where nothing can be redrawn or typed. */
export function TopScreen({ value }: ViewProps<TopSnapshot>): ReactElement {
  return (
    <Box flexDirection="column">
      <TopHead snapshot={value} />
      <TopRuns runs={shownRuns(value)} at={value.at} />
      <TopBudgets snapshot={value} />
      <TopProviders snapshot={value} />
      <TopErrors snapshot={value} />
      <NextSteps steps={[{ what: "All your runs", command: "mkt runs" }]} />
      <Text> </Text>
    </Box>
  );
}
