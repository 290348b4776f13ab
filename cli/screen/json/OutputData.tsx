import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { Facts } from "../Facts.tsx";
import { type Column, Table } from "../Table.tsx";
import { Verbatim } from "../Verbatim.tsx";
import type { ShapedOutput } from "./shape-output.ts";
import { cellText, type Tabular, type TabularColumn } from "./tabular.ts";

interface OutputDataProps {
  readonly shaped: ShapedOutput;
  /** Whether a blank line is to part it from what follows. */
  readonly partsBelow?: boolean;
}

/** What a run delivered, and what of it is not shown. */
export function OutputData({ shaped, partsBelow = true }: OutputDataProps): ReactElement | null {
  if (shaped.kind === "nothing") return null;
  return (
    <Box flexDirection="column" marginBottom={partsBelow ? 1 : 0}>
      {shaped.kind === "lines" ? (
        <Verbatim text={shaped.lines.join("\n")} />
      ) : (
        <OutputTable tabular={shaped.tabular} columns={shaped.columns} />
      )}
      {shaped.leftOut !== undefined && <Text>{shaped.leftOut}</Text>}
    </Box>
  );
}

interface TableParts {
  readonly tabular: Tabular;
  readonly columns: readonly TabularColumn[];
}

function OutputTable({ tabular: { name, others, rows }, columns }: TableParts): ReactElement {
  return (
    <>
      {others.length > 0 && (
        <Box marginBottom={1}>
          <Facts facts={others.map(([fact, value]) => [fact, cellText(value)] as const)} />
        </Box>
      )}
      {name !== undefined && <Text>{`${name}:`}</Text>}
      <Table rows={rows} columns={columns.map((column) => toColumn(column))} />
    </>
  );
}

function toColumn({ name, isNumeric }: TabularColumn): Column<Tabular["rows"][number]> {
  return { title: name, cell: (row) => cellText(row[name]), ...(isNumeric ? { right: true } : { shrinks: true }) };
}
