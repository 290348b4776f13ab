import type { ComponentChildren } from "preact";
import { href } from "../page/route.ts";
import type { Loaded } from "../service/use-loaded.ts";
import { Shown } from "./Shown.tsx";
import { type Column, Table } from "./Table.tsx";

interface PagedTableProps<Row> {
  readonly of: Omit<Loaded<{ readonly items: readonly Row[]; readonly cursor?: string | null | undefined }>, "put">;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The path of the screen, whose query has the page. */
  readonly at: readonly string[];
  /** What else the query has, such as a filter. */
  readonly query?: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  readonly empty: ComponentChildren;
}

/** A page of a list, with the ways to the first and to the next one. */
export function PagedTable<Row>({ of, caption, columns, keyOf, at, query = {}, cursor, empty }: PagedTableProps<Row>) {
  return (
    <Shown of={of}>
      {(page) => (
        <>
          {page.items.length === 0 ? (
            empty
          ) : (
            <Table caption={caption} columns={columns} rows={page.items} keyOf={keyOf} />
          )}
          {(cursor !== undefined || page.cursor != null) && (
            <nav class="pages" aria-label="Pages">
              {cursor !== undefined && <a href={href(at, query)}>First page</a>}
              {page.cursor != null && <a href={href(at, { ...query, cursor: page.cursor })}>Next page</a>}
            </nav>
          )}
        </>
      )}
    </Shown>
  );
}
