/** Items in the order of their numbers, highest first, in blocks that are never empty. */
export interface MergeSource<Item> {
  /** No item has a higher number. */
  readonly newest: number;
  open(): AsyncIterable<readonly Item[]>;
}

interface Cursor<Item> {
  readonly blocks: AsyncIterator<readonly Item[]>;
  block: readonly Item[];
  at: number;
}

const MAX_BLOCK = 256;

/**
 * All items of all sources, highest number first, each number once. A source is opened when its turn may have come, so that
 * a first page of many sources reads few of them.
 */
export async function* mergeNewestFirst<Item extends { readonly seq: number }>(
  sources: readonly MergeSource<Item>[],
): AsyncGenerator<readonly Item[]> {
  const waiting = [...sources].sort((one, other) => one.newest - other.newest);
  let cursors: readonly Cursor<Item>[] = [];
  let merged: Item[] = [];
  let lastSeq = Infinity;
  for (;;) {
    const best = cursorOfHighest(cursors);
    const next = waiting.at(-1);
    if (next !== undefined && (best === undefined || seqOf(best) <= next.newest)) {
      if (merged.length > 0) {
        yield merged;
        merged = [];
      }
      waiting.pop();
      const cursor = await openCursor(next);
      if (cursor !== undefined) cursors = [...cursors, cursor];
      continue;
    }
    if (best === undefined) break;
    const item = best.block[best.at];
    if (item !== undefined && item.seq < lastSeq) {
      merged.push(item);
      lastSeq = item.seq;
    }
    best.at += 1;
    const isBlockDone = best.at === best.block.length;
    if (merged.length > 0 && (isBlockDone || merged.length >= MAX_BLOCK)) {
      yield merged;
      merged = [];
    }
    if (isBlockDone && !(await nextBlock(best))) cursors = cursors.filter((cursor) => cursor !== best);
  }
}

function seqOf<Item extends { readonly seq: number }>({ block, at }: Cursor<Item>): number {
  return block[at]?.seq ?? -Infinity;
}

function cursorOfHighest<Item extends { readonly seq: number }>(
  cursors: readonly Cursor<Item>[],
): Cursor<Item> | undefined {
  let best: Cursor<Item> | undefined;
  for (const cursor of cursors) if (best === undefined || seqOf(cursor) > seqOf(best)) best = cursor;
  return best;
}

async function openCursor<Item>(source: MergeSource<Item>): Promise<Cursor<Item> | undefined> {
  const cursor: Cursor<Item> = { blocks: source.open()[Symbol.asyncIterator](), block: [], at: 0 };
  return (await nextBlock(cursor)) ? cursor : undefined;
}

async function nextBlock<Item>(cursor: Cursor<Item>): Promise<boolean> {
  const next = await cursor.blocks.next();
  if (next.done === true) return false;
  cursor.block = next.value;
  cursor.at = 0;
  return true;
}
