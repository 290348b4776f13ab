import { ApiError } from "../../shared/errors.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ListPage<Item> {
  readonly items: Item[];
  /** Absent on the last page. docs/contract.md, "Last page". */
  readonly cursor?: string;
}

/** Texts that define the position of an item in its list; unique for each item. */
export type ItemKey = readonly string[];

export interface SortedList<Item> {
  /** Identifies the list: a cursor of another list is refused with 400. */
  readonly kind: string;
  readonly keyOf: (item: Item) => ItemKey;
  /** The order of the list. */
  readonly compare: (a: ItemKey, b: ItemKey) => number;
}

/**
 * One page of a list that is sorted by its keys. The next page begins after the key of the last item, even if that item
 * is gone, so no remaining item is repeated or left out when the catalog changes in between.
 */
export function takeSortedPage<Item>(
  { kind, keyOf, compare }: SortedList<Item>,
  all: readonly Item[],
  page: PageRequest,
): ListPage<Item> {
  const after = readPosition(kind, page.cursor, isTexts);
  const from = after === undefined ? 0 : countUntil(all, (item) => compare(keyOf(item), after) <= 0);
  return cutPage(kind, all, { from, limit: page.limit }, keyOf);
}

export interface RankedList<Item> {
  readonly kind: string;
  readonly keyOf: (item: Item) => ItemKey;
}

/**
 * One page of a list in search order, which keys do not define. The next page begins after the last item, wherever it
 * is by then, or at the same position if it is gone.
 */
export function takeRankedPage<Item>(
  { kind, keyOf }: RankedList<Item>,
  all: readonly Item[],
  page: PageRequest,
): ListPage<Item> {
  const after = readPosition(kind, page.cursor, isPagePosition);
  const from = after === undefined ? 0 : placeAfter(after, all, keyOf);
  return cutPage(kind, all, { from, limit: page.limit }, (item, place) => [place + 1, ...keyOf(item)]);
}

/** The number of items before, and the key of the last of them. */
type PagePosition = readonly [before: number, ...key: string[]];

function placeAfter<Item>(
  [before, ...key]: PagePosition,
  all: readonly Item[],
  keyOf: (item: Item) => ItemKey,
): number {
  const isSame = (item: Item | undefined) => item !== undefined && key.join("\n") === keyOf(item).join("\n");
  if (isSame(all[before - 1])) return before;
  const place = all.findIndex(isSame);
  return place < 0 ? before : place + 1;
}

function cutPage<Item>(
  kind: string,
  all: readonly Item[],
  { from, limit = DEFAULT_LIMIT }: { readonly from: number; readonly limit?: number | undefined },
  positionOf: (last: Item, place: number) => readonly (string | number)[],
): ListPage<Item> {
  const to = from + Math.min(limit, MAX_LIMIT);
  const items = all.slice(from, to);
  const last = items.at(-1);
  if (last === undefined || to >= all.length) return { items };
  return { items, cursor: encodeCursor(kind, JSON.stringify(positionOf(last, to - 1))) };
}

/** The number of items at the beginning that pass; after one that fails, none passes. */
function countUntil<Item>(all: readonly Item[], passes: (item: Item) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = all[middle];
    if (item !== undefined && passes(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readPosition<Position>(
  kind: string,
  cursor: string | undefined,
  isPosition: (value: unknown) => value is Position,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = parseJson(String(decodeCursor(kind, cursor)));
  if (!isPosition(position)) throw new ApiError("invalidInput", "cursor: this is not a cursor of this list");
  return position;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is ItemKey {
  return Array.isArray(value) && value.every((part) => typeof part === "string");
}

function isPagePosition(value: unknown): value is PagePosition {
  return Array.isArray(value) && Number.isSafeInteger(value[0]) && value[0] >= 0 && isTexts(value.slice(1));
}
