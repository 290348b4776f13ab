/** A change of the tables. It was applied somewhere, so it never changes: what is wrong with it, a later one mends. */
export interface Migration {
  /** Order in which they are applied. */
  readonly number: number;
  /** What it brings, in a few words. */
  readonly title: string;
  readonly sql: string;
}
