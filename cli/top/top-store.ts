import { nextState, startState, type TopEvent, type TopState } from "./top-state.ts";
import type { TopSnapshot } from "./top-snapshot.ts";

/** The dashboard's state outside of what is drawn: keys that come quickly each meet the state that the one before made. */
export interface TopStore {
  readonly get: () => TopState;
  readonly dispatch: (event: TopEvent) => void;
  /** Calls the listener after each change; returns what takes it back. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createTopStore(first: TopSnapshot): TopStore {
  let state = startState(first);
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    dispatch(event) {
      state = nextState(state, event);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
