import { Box, Text } from "ink";
import type { ReactElement } from "react";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  /** Gives way first when the terminal is narrow. */
  shrinks?: boolean;
  color?: (row: Row) => string | undefined;
}

/** Rows under titles, one line each, fitted to the width that the parent has. */
export function Table<Row>({ rows, columns }: { rows: readonly Row[]; columns: readonly Column<Row>[] }): ReactElement {
  // Where columns share what is too little, the layout rounds the width of the last one up.
  return (
    <Box columnGap={2} paddingRight={1}>
      {columns.map((column) => (
        <Box key={column.title} flexDirection="column" flexShrink={column.shrinks ? 1 : 0}>
          <Text bold wrap="truncate">
            {column.title}
          </Text>
          {rows.map((row, index) => (
            <Cell key={index} text={column.cell(row)} color={column.color?.(row)} />
          ))}
        </Box>
      ))}
    </Box>
  );
}

// An empty text would take no line, and every row below it would slip up.
function Cell({ text, color }: { text: string; color: string | undefined }): ReactElement {
  const line = text.replace(/\s+/g, " ").trim();
  return (
    <Text wrap="truncate" {...(color !== undefined && { color })}>
      {line === "" ? " " : line}
    </Text>
  );
}
