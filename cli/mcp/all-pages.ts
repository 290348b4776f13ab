/** Longer lists end here: nobody reads more of them in one piece. */
const mostPages = 50;
const pageSize = 100;

/** The items of every page. */
export async function allPages<Item>(
  read: (query: { limit: number; cursor?: string }) => Promise<{ items: Item[]; cursor?: string | undefined }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await read({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    items.push(...answer.items);
    cursor = answer.cursor;
    if (cursor === undefined) break;
  }
  return items;
}
