import type { ComponentType } from "react";

/** What every screen gets: the value that `--json` prints, and how much room there is. */
export interface ViewProps<Value> {
  value: Value;
  columns: number;
  /** Shorten nothing. */
  full: boolean;
}

/** Loads a screen; ink and react come in only when one is drawn. */
export type View<Value> = () => Promise<ComponentType<ViewProps<Value>>>;
