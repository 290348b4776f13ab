import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { UsageItem, UsageResponse, UsageTotal } from "../../shared/contract/usage.ts";
import { dollars } from "../money-words.ts";
import { NextSteps } from "./NextSteps.tsx";
import { type Column, Table } from "./Table.tsx";
import type { ViewProps } from "./view.ts";

/** What runs came to, by group, with the total below. */
export function Usage({ value: { items, total } }: ViewProps<UsageResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      {items.length === 0 ? (
        <Text>No runs.</Text>
      ) : (
        <Table rows={[...items.map(toRow), { name: "total", ...total }]} columns={columnsFor(total)} />
      )}
      <NextSteps
        steps={[
          { what: "Day by day", command: "mkt usage --by day" },
          { what: "Every run, as a table", command: "mkt runs export -o runs.csv" },
        ]}
      />
    </Box>
  );
}

type Row = UsageTotal & { name: string };

function toRow({ group, ...sums }: UsageItem): Row {
  return { name: group ?? "(none)", ...sums };
}

/** What nobody had is no column. */
function columnsFor({ failed, rent, overruns }: UsageTotal): Column<Row>[] {
  return [
    { title: "group", cell: ({ name }) => name, shrinks: true },
    { title: "runs", cell: (row) => String(row.runs) },
    ...(failed > 0 ? [{ title: "failed", cell: (row: Row) => String(row.failed) }] : []),
    { title: "charged", cell: (row) => dollars(row.charged.value) },
    ...(rent.value > 0 ? [{ title: "of it rent", cell: (row: Row) => dollars(row.rent.value) }] : []),
    { title: "cost", cell: (row) => dollars(row.cost.value) },
    ...(overruns > 0 ? [{ title: "overrun", cell: (row: Row) => dollars(row.overrun.value) }] : []),
  ];
}
