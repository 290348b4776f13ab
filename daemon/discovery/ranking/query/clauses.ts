/** Where one wish ends and the next begins, as far as punctuation and joining words tell. */
const BOUNDARY = /[.?!;\n]+|,\s|\b(?:and|then|also)\b/i;

/** More wishes than this are taken for one. */
const MOST = 8;

/** The parts of a query that may each ask for something of its own; one for a query without parts. */
export function clausesOf(q: string): string[] {
  const clauses = q
    .split(BOUNDARY)
    .map((clause) => clause.trim())
    .filter((clause) => clause.includes(" "));
  return clauses.length > MOST ? [q] : clauses;
}
