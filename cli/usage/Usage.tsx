import { Box, Text } from "ink";
import type { ComponentType, ReactElement } from "react";
import { countWords } from "../../shared/count-words.ts";
import type { UsageItem, UsageResponse, UsageTotal } from "../../shared/contract/usage.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { bar } from "../screen/charts.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { type Column, Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** How usage was asked for. */
export interface UsageAsking {
  /** What the value is grouped by, as `--by` takes it. */
  readonly by: string;
  /** The same runs by day, to be shown as well. */
  readonly byDay?: UsageResponse | undefined;
}

/** Of more days the last are shown. */
const MOST_DAYS = 14;

/** What runs came to, by group, each with a bar for its part, and the total below. */
export function createUsage({ by, byDay }: UsageAsking): ComponentType<ViewProps<UsageResponse>> {
  return ({ value: { items, total }, full }) => (
    <Box flexDirection="column">
      {items.length === 0 ? (
        <Text>No runs.</Text>
      ) : (
        <>
          <UsageTable title={by === "day" ? "day (UTC)" : by} items={items} total={total} />
          {byDay !== undefined && <Days byDay={byDay} full={full} />}
        </>
      )}
      <NextSteps
        steps={[
          { what: "Endpoint by endpoint", command: "mkt usage --by endpoint" },
          { what: "Every run, as a table", command: "mkt runs export -o runs.csv" },
        ]}
      />
    </Box>
  );
}

function Days({ byDay: { items, total }, full }: { byDay: UsageResponse; full: boolean }): ReactElement {
  const shown = full ? items : items.slice(-MOST_DAYS);
  return (
    <Box flexDirection="column" marginTop={1}>
      <UsageTable title="day (UTC)" items={shown} total={total} />
      {shown.length < items.length && (
        <Text>{`… ${countWords(items.length - shown.length, "earlier day")}: mkt usage --by day`}</Text>
      )}
    </Box>
  );
}

type Row = UsageTotal & { name: string; share: number | undefined };

interface TableParts {
  readonly title: string;
  readonly items: readonly UsageItem[];
  readonly total: UsageTotal;
}

/** Bars are measured by the longest; where nothing was charged, by runs. */
function UsageTable({ title, items, total }: TableParts): ReactElement {
  const sizeOf = ({ charged, runs }: UsageTotal) => (total.charged.value > 0 ? charged.value : runs);
  const most = Math.max(...items.map(sizeOf));
  const rows = items.map(({ group, ...sums }): Row => ({
    ...sums,
    name: group ?? "(none)",
    share: most > 0 ? sizeOf(sums) / most : 0,
  }));
  return <Table rows={[...rows, { ...total, name: "total", share: undefined }]} columns={columnsFor(title, total)} />;
}

/** What nobody had is no column. */
function columnsFor(title: string, { failed, reused, rent, overruns }: UsageTotal): Column<Row>[] {
  return [
    { title, cell: ({ name }) => name, shrinks: "names" },
    { title: "runs", cell: (row) => String(row.runs), right: true },
    ...(failed > 0 ? [{ title: "failed", cell: (row: Row) => String(row.failed), right: true }] : []),
    { title: "charged", cell: (row) => dollars(row.charged.value), right: true },
    ...(rent.value > 0 ? [{ title: "of it rent", cell: (row: Row) => dollars(row.rent.value), right: true }] : []),
    { title: "cost", cell: (row) => dollars(row.cost.value), right: true, drops: 1 },
    ...(overruns > 0 ? [{ title: "overrun", cell: (row: Row) => dollars(row.overrun.value), right: true }] : []),
    ...(reused > 0
      ? [
          { title: "reused", cell: (row: Row) => String(row.reused), right: true },
          { title: "saved", cell: (row: Row) => dollars(row.saved.value), right: true },
        ]
      : []),
    { title: "", cell: () => "", picture: ({ share }, width) => (share === undefined ? "" : bar(share, width)) },
  ];
}
