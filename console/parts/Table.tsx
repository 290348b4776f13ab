import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the end, so that their digits stand below each other. */
  readonly align?: "end";
  /** Shown from this width of the screen on only; always when left out. */
  readonly from?: "medium" | "wide";
  /** Its words are for readers of screens only, such as those of buttons in rows. */
  readonly hideName?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** Rows of the same kind. The caption is read aloud, and shown by the heading that stands before the table anyway. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                <span class={column.hideName ? "unseen" : undefined}>{column.name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ align, from }: Pick<Column<never>, "align" | "from">): string | undefined {
  return [align === "end" ? "end" : "", from === undefined ? "" : `from-${from}`].join(" ").trim() || undefined;
}
