import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
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

/** A page of a list, with the ways to the first and to the next one. The focus stays in it when its row is gone. */
export function PagedTable<Row>({ of, caption, columns, keyOf, at, query = {}, cursor, empty }: PagedTableProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) list.current?.focus();
  }, [of.value]);
  return (
    <div
      ref={list}
      tabIndex={-1}
      onFocusIn={() => (hadFocus.current = true)}
      // Without a target the focus went nowhere, since what had it is gone.
      onFocusOut={({ relatedTarget }) => (hadFocus.current = relatedTarget === null)}
    >
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
    </div>
  );
}
