/** A change of the tables. It was applied somewhere, so it never changes: what is wrong with it, a later one mends. */
export interface Migration {
  /** Order in which they are applied. Its hundreds are the schema version: see `schemaOf`. */
  readonly number: number;
  /** What it brings, in a few words. */
  readonly title: string;
  readonly sql: string;
}

const OF_A_SCHEMA = 100;

/**
 * The schema version that a migration belongs to: 0 for 1 to 99, 1 for 100 to 199. All migrations of a release have the same.
 * The first migration after a release begins the next hundred, and leaves tables that the release before it can still serve.
 * A daemon reads it from the number alone, so that it knows it of migrations that are newer than itself.
 */
export function schemaOf(number: number): number {
  return Math.floor(number / OF_A_SCHEMA);
}
