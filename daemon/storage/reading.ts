import type { HistoryPart } from "./history-part.ts";
import { LineMoved } from "./storage-errors.ts";

const MAX_TRIES = 5;

/** A sealed part may be rewritten while it is read; then reading starts again. */
export async function untilStill<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!mayReadAgain(error, tries)) throw error;
    }
  }
}

/** Whether reading may begin again after it failed so many times without having come further. */
export function mayReadAgain(error: unknown, failures: number): boolean {
  return error instanceof LineMoved && failures < MAX_TRIES;
}

export async function takeFirst<Item>(
  blocks: AsyncIterable<readonly Item[]>,
  limit: number,
): Promise<{ found: readonly Item[]; hasMore: boolean }> {
  const found: Item[] = [];
  for await (const block of blocks) {
    for (const item of block) {
      if (found.length === limit) return { found, hasMore: true };
      found.push(item);
    }
  }
  return { found, hasMore: false };
}

export function newestFirst<Where>(parts: readonly HistoryPart<Where>[]): HistoryPart<Where>[] {
  return [...parts].sort((one, other) => other.newestLine - one.newestLine);
}
