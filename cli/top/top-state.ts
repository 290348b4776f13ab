import { isTerminal, type AnyRun } from "../run/run-outcome.ts";
import type { TopRun, TopSnapshot } from "./top-snapshot.ts";

/** What the dashboard shows at one time. */
export interface TopState {
  readonly snapshot: TopSnapshot;
  /** The run that keys are about; undefined where there are none. */
  readonly chosen: string | undefined;
  /** The run that is asked about: stop it? */
  readonly asking?: TopRun;
  /** The run that is shown instead of the list. */
  readonly opened?: AnyRun;
  /** What the last key came to. */
  readonly notice?: string;
  /** Why the snapshot is an old one. */
  readonly away?: Away;
}

export interface Away {
  readonly message: string;
  /** Until it is read again. */
  readonly retryMs: number;
}

export type TopEvent =
  | { readonly type: "read"; readonly snapshot: TopSnapshot }
  | { readonly type: "away"; readonly away: Away }
  | { readonly type: "move"; readonly by: number }
  | { readonly type: "ask" }
  | { readonly type: "answer" }
  | { readonly type: "notice"; readonly notice: string }
  | { readonly type: "open"; readonly run: AnyRun }
  | { readonly type: "back" };

/** The runs that can be chosen, in the order in which they are shown. */
export function shownRuns({ inFlight, ended }: TopSnapshot): readonly TopRun[] {
  return [...inFlight.runs, ...ended];
}

export function chosenRun({ snapshot, chosen }: TopState): TopRun | undefined {
  return shownRuns(snapshot).find(({ runId }) => runId === chosen);
}

export function startState(snapshot: TopSnapshot): TopState {
  return { snapshot, chosen: shownRuns(snapshot)[0]?.runId };
}

/** What is shown after the event. */
export function nextState(state: TopState, event: TopEvent): TopState {
  const { asking: _asking, notice: _notice, ...calm } = state;
  switch (event.type) {
    case "read":
      return withSnapshot(state, event.snapshot);
    case "away":
      return { ...state, away: event.away };
    case "move":
      return { ...calm, chosen: moved(state, event.by) };
    case "ask":
      return ask(calm);
    case "answer":
      return calm;
    case "notice":
      return { ...calm, notice: event.notice };
    case "open":
      return { ...calm, opened: event.run };
    case "back": {
      const { opened: _opened, ...list } = calm;
      return list;
    }
  }
}

/** The chosen run stays chosen wherever it is now; when it has left the list, the run in its place is. */
function withSnapshot({ away: _away, ...state }: TopState, snapshot: TopSnapshot): TopState {
  const runs = shownRuns(snapshot);
  if (runs.some(({ runId }) => runId === state.chosen)) return { ...state, snapshot };
  const place = shownRuns(state.snapshot).findIndex(({ runId }) => runId === state.chosen);
  return { ...state, snapshot, chosen: runs[Math.min(Math.max(place, 0), runs.length - 1)]?.runId };
}

function moved({ snapshot, chosen }: TopState, by: number): string | undefined {
  const runs = shownRuns(snapshot);
  const place = runs.findIndex(({ runId }) => runId === chosen);
  return runs[Math.min(Math.max(place + by, 0), runs.length - 1)]?.runId;
}

function ask(state: TopState): TopState {
  const run = chosenRun(state);
  if (run === undefined) return { ...state, notice: "There is no run to stop." };
  if (isTerminal(run)) return { ...state, notice: `This run has ended: it is ${run.status}.` };
  if (run.stoppable === false) return { ...state, notice: "This run cannot be stopped." };
  return { ...state, asking: run };
}
