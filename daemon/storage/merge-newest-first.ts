/** By what items are in order, each once: a number or an id. */
interface Ordered {
  readonly seq: number | string;
}

/** Items in the order of their numbers, highest first, in blocks that are never empty. */
export interface MergeSource<Item extends Ordered> {
  /** No item has a higher number. */
  readonly newest: Item["seq"];
  open(): AsyncIterable<readonly Item[]>;
}

interface Cursor<Item extends Ordered> {
  readonly blocks: AsyncIterator<readonly Item[]>;
  block: readonly Item[];
  at: number;
}

const MAX_BLOCK = 256;

/**
 * All items of all sources, highest number first, each number once. A source is opened when its turn may have come, so that
 * a first page of many sources reads few of them.
 */
export async function* mergeNewestFirst<Item extends Ordered>(
  sources: readonly MergeSource<Item>[],
): AsyncGenerator<readonly Item[]> {
  const waiting = [...sources].sort((one, other) => compare(one.newest, other.newest));
  let cursors: readonly Cursor<Item>[] = [];
  let merged: Item[] = [];
  let lastSeq: Item["seq"] | undefined;
  for (;;) {
    const best = cursorOfHighest(cursors);
    const next = waiting.at(-1);
    if (next !== undefined && (best === undefined || !isAbove(seqOf(best), next.newest))) {
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
    if (item !== undefined && (lastSeq === undefined || isAbove(lastSeq, item.seq))) {
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

function seqOf<Item extends Ordered>({ block, at }: Cursor<Item>): Item["seq"] | undefined {
  return block[at]?.seq;
}

function compare<Seq extends Ordered["seq"]>(one: Seq, other: Seq): number {
  return isAbove(one, other) ? 1 : isAbove(other, one) ? -1 : 0;
}

function isAbove<Seq extends Ordered["seq"]>(one: Seq | undefined, other: Seq | undefined): boolean {
  return one !== undefined && (other === undefined || one > other);
}

function cursorOfHighest<Item extends Ordered>(cursors: readonly Cursor<Item>[]): Cursor<Item> | undefined {
  let best: Cursor<Item> | undefined;
  for (const cursor of cursors) if (best === undefined || isAbove(seqOf(cursor), seqOf(best))) best = cursor;
  return best;
}

async function openCursor<Item extends Ordered>(source: MergeSource<Item>): Promise<Cursor<Item> | undefined> {
  const cursor: Cursor<Item> = { blocks: source.open()[Symbol.asyncIterator](), block: [], at: 0 };
  return (await nextBlock(cursor)) ? cursor : undefined;
}

async function nextBlock<Item extends Ordered>(cursor: Cursor<Item>): Promise<boolean> {
  const next = await cursor.blocks.next();
  if (next.done === true) return false;
  cursor.block = next.value;
  cursor.at = 0;
  return true;
}
