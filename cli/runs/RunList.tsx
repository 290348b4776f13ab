import { Box, Text } from "ink";
import type { ComponentType, ReactElement } from "react";
import type { RunPage } from "../../shared/contract/runs.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { EmptyList } from "../screen/EmptyList.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { whenWords } from "../words/time-words.ts";
import { runStatusColor } from "../screen/status-color.ts";
import { statusWords } from "../words/run-status-words.ts";
import { Table } from "../screen/Table.tsx";

/** A page of runs, newest first. */
export function createRunList({ hasFilters }: { readonly hasFilters: boolean }): ComponentType<ViewProps<RunPage>> {
  return function RunList({ value }) {
    return value.items.length === 0 && hasFilters ? <Text>No runs pass these filters.</Text> : <Runs value={value} />;
  };
}

function Runs({ value }: Pick<ViewProps<RunPage>, "value">): ReactElement {
  const [newest] = value.items;
  if (newest === undefined) {
    return <EmptyList says="No runs." next={{ what: "Find something to run", command: "mkt discover <words>" }} />;
  }
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "run", cell: (run) => run.runId },
          { title: "status", cell: statusWords, color: runStatusColor },
          { title: "endpoint", cell: (run) => targetWords(run), shrinks: "names" },
          { title: "charged", cell: (run) => (run.cost ? dollars(run.cost.value) : ""), right: true, drops: 1 },
          { title: "created", cell: (run) => whenWords(run.createdAt), drops: 2 },
        ]}
      />
      <NextSteps steps={[{ what: "Look at one", command: shellLine("mkt", "get-run", newest.runId) }]} />
    </Box>
  );
}
