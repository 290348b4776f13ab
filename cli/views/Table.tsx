import { Box, Text } from "ink";
import type { ReactElement } from "react";
import stringWidth from "string-width";
import { Facts } from "./Facts.tsx";
import { COLUMN_GAP, fitColumns } from "./fit-columns.ts";
import { useLook } from "./look.ts";
import { oneLine } from "./one-line.ts";
import { cutText } from "./shorten-text.ts";
import { Verbatim } from "./Verbatim.tsx";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  /** Gives way when the terminal is narrow. */
  shrinks?: boolean;
  /** Numbers: their last digits stand below each other. */
  right?: boolean;
  color?: (row: Row) => string | undefined;
  /**
   * A picture of what other columns say, drawn in so many columns as these leave. It is left out where they leave hardly
   * any, and where the screen is read aloud.
   */
  picture?: (row: Row, columns: number) => string;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The row that is marked, where one is. */
  readonly chosen?: number | undefined;
}

/** Narrower than this the text of a column says nothing. */
const LEAST_COLUMNS = 8;
/** Rows; colours and pictures are for tables that somebody looks at as a whole. */
const MOST_LAID_OUT = 200;
const [LEAST_PICTURE, MOST_PICTURE] = [6, 24];

/** Rows under titles, one line each, fitted to the width of the screen; where that cannot be, row after row. */
export function Table<Row>({ rows, columns, chosen }: TableProps<Row>): ReactElement {
  const look = useLook();
  const written = columns.filter(({ picture }) => picture === undefined);
  const available = look.columns - (chosen === undefined ? 0 : MARK.length);
  const widths = look.linear
    ? undefined
    : fitColumns(
        written.map((column) => needOf(column, rows)),
        available,
      );
  if (widths === undefined) return <Records rows={rows} columns={written} chosen={chosen} />;

  if (rows.length > MOST_LAID_OUT) return <LongTable rows={rows} columns={written} widths={widths} />;
  const left = available - widths.reduce((sum, width) => sum + width + COLUMN_GAP, 0);
  const pictured = left < LEAST_PICTURE ? written : columns;
  const widthOf = (column: Column<Row>) => widths[written.indexOf(column)] ?? Math.min(left, MOST_PICTURE);
  return (
    <Box>
      {chosen !== undefined && <Marks count={rows.length} chosen={chosen} />}
      <Box columnGap={COLUMN_GAP}>
        {pictured.map((column) => (
          <TableColumn key={column.title} column={column} rows={rows} width={widthOf(column)} />
        ))}
      </Box>
    </Box>
  );
}

const MARK = "> ";

interface LongTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly widths: readonly number[];
}

/** The plain lines of a table that is too long to be laid out cell by cell. */
function LongTable<Row>({ rows, columns, widths }: LongTableProps<Row>): ReactElement {
  const toLine = (text: (column: Column<Row>) => string) =>
    columns
      .map((column, index) => fitCell(text(column), widths[index] ?? 0, column.right))
      .join(" ".repeat(COLUMN_GAP));
  return (
    <Box flexDirection="column">
      <Text bold>{toLine(({ title }) => title)}</Text>
      <Verbatim text={rows.map((row) => toLine(({ cell }) => oneLine(cell(row))).trimEnd()).join("\n")} />
    </Box>
  );
}

/** The text in so many columns: cut, or with spaces on the side where it does not stand. */
function fitCell(text: string, columns: number, right = false): string {
  const cut = cutText(text, columns);
  const spaces = " ".repeat(Math.max(0, columns - stringWidth(cut)));
  return right ? spaces + cut : cut + spaces;
}

function needOf<Row>({ title, cell, shrinks }: Column<Row>, rows: readonly Row[]) {
  const natural = Math.max(stringWidth(title), ...rows.map((row) => stringWidth(oneLine(cell(row)))));
  return { natural, least: shrinks ? Math.min(natural, Math.max(LEAST_COLUMNS, stringWidth(title))) : natural };
}

function Marks({ count, chosen }: { count: number; chosen: number }): ReactElement {
  return (
    <Box flexDirection="column" width={MARK.length} flexShrink={0} marginTop={1}>
      {Array.from({ length: count }, (_, index) => (
        <Text key={index} bold>
          {index === chosen ? MARK : "  "}
        </Text>
      ))}
    </Box>
  );
}

interface TableColumnProps<Row> {
  readonly column: Column<Row>;
  readonly rows: readonly Row[];
  readonly width: number;
}

function TableColumn<Row>({ column, rows, width }: TableColumnProps<Row>): ReactElement {
  const { title, cell, picture, color, right = false } = column;
  const fit = (text: string) => fitCell(text, width, right);
  const lines = rows.map((row) => fit(picture === undefined ? oneLine(cell(row)) : picture(row, width)));
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Text bold>{fit(title)}</Text>
      {color === undefined ? <Text>{lines.join("\n")}</Text> : <ColoredLines lines={lines} colors={rows.map(color)} />}
    </Box>
  );
}

interface ColoredLinesProps {
  readonly lines: readonly string[];
  readonly colors: readonly (string | undefined)[];
}

function ColoredLines({ lines, colors }: ColoredLinesProps): ReactElement {
  return (
    <>
      {lines.map((line, index) => (
        <Text key={index} {...(colors[index] !== undefined && { color: colors[index] })}>
          {line}
        </Text>
      ))}
    </>
  );
}

/** Each row as names and values. */
function Records<Row>({ rows, columns, chosen }: TableProps<Row>): ReactElement {
  if (rows.length > MOST_LAID_OUT) return <LongRecords rows={rows} columns={columns} />;
  return (
    <Box flexDirection="column" flexShrink={0} rowGap={1}>
      {rows.map((row, index) => (
        <Box key={index} flexDirection="column" flexShrink={0}>
          {index === chosen && <Text bold>chosen:</Text>}
          <Facts facts={columns.map(({ title, cell, color }) => [title, cell(row), color?.(row)])} />
        </Box>
      ))}
    </Box>
  );
}

function LongRecords<Row>({ rows, columns }: TableProps<Row>): ReactElement {
  const records = rows.map((row) =>
    columns.flatMap(({ title, cell }) => (cell(row) === "" ? [] : [`${title}: ${oneLine(cell(row))}`])).join("\n"),
  );
  return <Verbatim text={records.join("\n\n")} />;
}
