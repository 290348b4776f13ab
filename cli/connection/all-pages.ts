/** Longer lists are cut here: nobody reads more at once. */
const mostPages = 50;
const pageSize = 100;

/** One page of a list, as the service gives it. */
interface PageRead<Item> {
  items: Item[];
  cursor?: string | null | undefined;
}

/** The items of every page, and whether these are all that there are. */
export async function allPages<Item>(
  read: (query: { limit: number; cursor?: string }) => Promise<PageRead<Item>>,
): Promise<{ items: Item[]; isWhole: boolean }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await read({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    for (const item of answer.items) items.push(item);
    cursor = answer.cursor ?? undefined;
    if (cursor === undefined) return { items, isWhole: true };
  }
  return { items, isWhole: false };
}
