/** What every screen gets: the value that `--json` prints, and how much room there is. */
export interface ViewProps<Value> {
  value: Value;
  columns: number;
  /** Shorten nothing. */
  full: boolean;
}
