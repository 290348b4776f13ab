/** How to get the page after this one; nothing on the last. */
export function moreWords(tool: string, cursor: string | null | undefined): string[] {
  return cursor == null ? [] : [`More: ${tool} ${JSON.stringify({ cursor })} with the same filters.`];
}
