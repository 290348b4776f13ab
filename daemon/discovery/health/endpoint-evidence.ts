import type { WorkspaceId } from "../../base/ids.ts";
import type { JudgedRun } from "./judge-run.ts";
import { addRunTime } from "./run-times.ts";
import { isForgotten, NO_RUNS, type RunWindows, withOutcome } from "./run-windows.ts";
import { NO_TIMES, type SpanTimes, withSpanTime } from "./span-times.ts";

/** The outcomes that one workspace had at an endpoint. */
export interface WorkspaceEvidence {
  readonly workspaceId: WorkspaceId;
  /** Counts only for this workspace; see `JudgedRun`. */
  readonly isPrivate: boolean;
  readonly windows: RunWindows;
  /** How long its completed runs took, for charts; `times` of the endpoint is for p50 and p95. */
  readonly spans: SpanTimes;
}

/** The outcomes of all workspaces at an endpoint, in constant memory; immutable but for the times, which grow. */
export interface EndpointEvidence {
  /** The workspace that ran it most recently is last. */
  readonly workspaces: readonly WorkspaceEvidence[];
  readonly times: number[];
}

/**
 * The number of workspaces that count, those that ran the endpoint last. Each takes one slot, however often it runs.
 */
const MAX_WORKSPACES = 32;

/** Of an endpoint that has no runs. */
export function noEvidence(): EndpointEvidence {
  return { workspaces: [], times: [] };
}

export function withRun(
  { workspaces, times }: EndpointEvidence,
  workspaceId: WorkspaceId,
  { isPrivate, runTimeMs, ...outcome }: JudgedRun,
): EndpointEvidence {
  const isThis = (evidence: WorkspaceEvidence) =>
    evidence.workspaceId === workspaceId && evidence.isPrivate === isPrivate;
  const before = workspaces.find(isThis);
  const spans = before?.spans ?? NO_TIMES;
  const now = {
    workspaceId,
    isPrivate,
    windows: withOutcome(before?.windows ?? NO_RUNS, outcome),
    spans: runTimeMs === undefined ? spans : withSpanTime(spans, outcome.at, runTimeMs),
  };
  if (runTimeMs !== undefined) addRunTime(times, outcome.at, runTimeMs);
  // Nearly every run: its workspace was the last one before it, too.
  if (before !== undefined && before === workspaces.at(-1))
    return { workspaces: workspaces.with(workspaces.length - 1, now), times };
  return { workspaces: keepLast([...workspaces.filter((evidence) => !isThis(evidence)), now]), times };
}

/** Removes workspaces whose runs are too old to count; undefined when none is left. */
export function withoutForgotten(evidence: EndpointEvidence, now: number): EndpointEvidence | undefined {
  const workspaces = evidence.workspaces.filter(({ windows }) => !isForgotten(windows, now));
  if (workspaces.length === 0) return undefined;
  return workspaces.length === evidence.workspaces.length ? evidence : { ...evidence, workspaces };
}

function keepLast(workspaces: readonly WorkspaceEvidence[]): readonly WorkspaceEvidence[] {
  const lastFirst = [...new Set(workspaces.map(({ workspaceId }) => workspaceId).reverse())];
  if (lastFirst.length <= MAX_WORKSPACES) return workspaces;
  const heard = new Set(lastFirst.slice(0, MAX_WORKSPACES));
  return workspaces.filter(({ workspaceId }) => heard.has(workspaceId));
}
