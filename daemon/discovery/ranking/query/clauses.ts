/** Separates the requests in a query, by punctuation and conjunctions. */
const BOUNDARY = /[.?!;\n]+|,\s|\b(?:and|then|also)\b/i;

/** With more parts than this, the query counts as one request. */
const MOST = 8;

/** The parts of a query that may each be a separate request; a single one for a query without parts. */
export function clausesOf(q: string): string[] {
  const clauses = q
    .split(BOUNDARY)
    .map((clause) => clause.trim())
    .filter((clause) => clause.includes(" "));
  return clauses.length > MOST ? [q] : clauses;
}
