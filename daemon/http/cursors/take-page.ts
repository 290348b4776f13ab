import { decodeCursor, encodeCursor } from "./cursor.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/**
 * One page of a list that is completely in memory; the cursor is absent on the last page. 400 for a cursor of another
 * kind of list. docs/contract.md, "Cursors" and "Last page".
 */
export function takePage<Item>(
  kind: string,
  all: readonly Item[],
  { limit, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): { items: Item[]; cursor?: string } {
  const from = cursor === undefined ? 0 : Number(decodeCursor(kind, cursor));
  const to = from + Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const items = all.slice(from, to);
  return to < all.length ? { items, cursor: encodeCursor(kind, to) } : { items };
}
