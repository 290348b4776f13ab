import type { Key } from "ink";
import { errorText } from "../../shared/error-text.ts";
import type { AnyRun } from "../run/run-outcome.ts";
import { chosenRun } from "./top-state.ts";
import type { TopStore } from "./top-store.ts";

/** What keys do to runs; each rejects with words for people. */
export interface TopActions {
  open(runId: string): Promise<AnyRun>;
  stop(runId: string): Promise<void>;
}

/** What a key does, but for those that leave. */
export function pressKey(input: string, key: Key, store: TopStore, actions: TopActions): void {
  const { asking, opened } = store.get();
  if (asking !== undefined) return answerStop(input, asking.runId, store, actions);
  if (opened !== undefined) {
    if (key.escape || key.return || key.leftArrow) store.dispatch({ type: "back" });
    return undefined;
  }
  const by = stepsOf(input, key);
  if (by !== 0) return store.dispatch({ type: "move", by });
  if (input === "s") return store.dispatch({ type: "ask" });
  const chosen = chosenRun(store.get());
  if (key.return && chosen !== undefined) void openRun(chosen.runId, store, actions);
  return undefined;
}

/** How far down the list keys go. One that is held down comes as several in one. */
function stepsOf(input: string, { downArrow, upArrow }: Key): number {
  if (downArrow || upArrow) return downArrow ? 1 : -1;
  if (/^j+$/.test(input)) return input.length;
  return /^k+$/.test(input) ? -input.length : 0;
}

function answerStop(input: string, runId: string, store: TopStore, actions: TopActions): void {
  store.dispatch({ type: "answer" });
  if (input.toLowerCase() === "y") void stopRun(runId, store, actions);
}

async function stopRun(runId: string, { dispatch }: TopStore, { stop }: TopActions): Promise<void> {
  const notice = await stop(runId).then(() => `Run ${runId} is being stopped.`, errorText);
  dispatch({ type: "notice", notice });
}

async function openRun(runId: string, { dispatch }: TopStore, { open }: TopActions): Promise<void> {
  await open(runId).then(
    (run) => dispatch({ type: "open", run }),
    (error: unknown) => dispatch({ type: "notice", notice: errorText(error) }),
  );
}
