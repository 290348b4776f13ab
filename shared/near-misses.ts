/**
 * The candidates that a mistaken name was probably meant to be, best first, at most `limit`; empty when none is near.
 * Near: at most a third of the letters are wrong, but not all, or one is the beginning of the other. A candidate that differs only
 * in case always counts as near.
 */
export function findNearMisses(mistaken: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = mistaken.toLowerCase();
  const found: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    const isBeginning = wanted.length >= 3 && (other.startsWith(wanted) || wanted.startsWith(other)) && other !== "";
    if (!isBeginning && Math.abs(wanted.length - other.length) > allowed) continue;
    const distance = isBeginning ? 1 : editDistance(wanted, other);
    // With no letter in common it is near to nothing, however short both are.
    if (distance <= allowed && distance < Math.max(wanted.length, other.length)) found.push({ candidate, distance });
  }
  const alike = found.filter(({ candidate }) => candidate.toLowerCase() === wanted);
  if (alike.length > 0) return alike.slice(0, limit).map(({ candidate }) => candidate);
  found.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return found.slice(0, limit).map(({ candidate }) => candidate);
}

/** `; did you mean "a" or "b"?`, or an empty text when no candidate is near. */
export function didYouMean(mistaken: string, candidates: Iterable<string>): string {
  const near = findNearMisses(mistaken, candidates).map((candidate) => `"${candidate}"`);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/**
 * The number of insertions, deletions, replacements and swaps of adjacent letters that turn one text into the other.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, at(beforeLast, column - 2) + 1);
      }
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
