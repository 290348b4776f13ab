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
  /**
   * Gives way when the terminal is narrow: of `names` only those that are longer than most, `prose` to what still says
   * something, anything else (`true`) to a few letters. What is to be pasted never gives way.
   */
  shrinks?: "prose" | "names" | true;
  /** Is left out where the terminal is too narrow for all, the highest number first. Without one it stays. */
  drops?: number;
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

/** Narrower than this a text says nothing. */
const LEAST_PROSE = 20;
const LEAST_ANYTHING = 8;
/** So many of the names in a column are whole. */
const MOST_NAMES = 0.8;
/** Rows; colours and pictures are for tables that somebody looks at as a whole. */
const MOST_LAID_OUT = 200;
const [LEAST_PICTURE, MOST_PICTURE] = [6, 24];

/**
 * Rows under titles, one line each, with as many columns as fit the width of the screen, and a line that names the others;
 * where not even those fit that matter, row after row with all of them.
 */
export function Table<Row>({ rows, columns, chosen }: TableProps<Row>): ReactElement {
  const look = useLook();
  const written = columns.filter(({ picture }) => picture === undefined);
  const available = look.columns - (chosen === undefined ? 0 : MARK.length);
  const choice = look.linear ? undefined : chooseColumns(written, rows, available);
  if (choice === undefined) return <Records rows={rows} columns={written} chosen={chosen} />;

  const { shown, widths } = choice;
  const leftOut = written.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const left = available - widths.reduce((sum, width) => sum + width + COLUMN_GAP, 0);
  const hasPictures = left >= LEAST_PICTURE && leftOut.length === 0;
  const pictured = hasPictures ? columns : shown;
  const widthOf = (column: Column<Row>) => widths[shown.indexOf(column)] ?? Math.min(left, MOST_PICTURE);
  return (
    <Box flexDirection="column">
      {rows.length > MOST_LAID_OUT ? (
        <LongTable rows={rows} columns={shown} widths={widths} />
      ) : (
        <Box>
          {chosen !== undefined && <Marks count={rows.length} chosen={chosen} />}
          <Box columnGap={COLUMN_GAP}>
            {pictured.map((column) => (
              <TableColumn key={column.title} column={column} rows={rows} width={widthOf(column)} />
            ))}
          </Box>
        </Box>
      )}
      {leftOut.length > 0 && <Text dimColor>{`Left out: ${leftOut.join(", ")}. To see all: --full`}</Text>}
    </Box>
  );
}

/** The columns that fit whole, and their widths; undefined where those do not that have to stay. */
function chooseColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[], available: number) {
  const needs = new Map(columns.map((column) => [column, needOf(column, rows)]));
  let shown = columns;
  for (;;) {
    const widths = fitColumns(
      shown.map((column) => needs.get(column) ?? { natural: 0, least: 0 }),
      available,
    );
    if (widths !== undefined) return { shown, widths };
    const next = Math.max(...shown.map(({ drops = 0 }) => drops));
    if (next <= 0) return undefined;
    shown = shown.filter(({ drops }) => drops !== next);
  }
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
  const lengths = rows.map((row) => stringWidth(oneLine(cell(row)))).toSorted((a, b) => a - b);
  const natural = Math.max(stringWidth(title), lengths.at(-1) ?? 0);
  if (shrinks === undefined) return { natural, least: natural };
  const mostNames = lengths[Math.ceil(lengths.length * MOST_NAMES) - 1] ?? 0;
  const least = shrinks === "names" ? mostNames : shrinks === "prose" ? LEAST_PROSE : LEAST_ANYTHING;
  return { natural, least: Math.min(natural, Math.max(least, stringWidth(title))) };
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
