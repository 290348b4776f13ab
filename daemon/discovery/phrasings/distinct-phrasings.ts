/**
 * The query and its rephrasings in their order, each once. Two that differ only in letter case, width or white space are
 * the same, and one without any character to search for is left out: a repeated phrasing would pass for agreement.
 */
export function distinctPhrasings(q: string, also: readonly string[] = []): readonly [string, ...string[]] {
  const known = new Set([keyOf(q)]);
  const others: string[] = [];
  for (const phrasing of also) {
    const key = keyOf(phrasing);
    if (key === "" || known.has(key)) continue;
    known.add(key);
    others.push(phrasing.trim());
  }
  return [q, ...others];
}

function keyOf(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
