import type { JudgedRun } from "./judge-run.ts";
import { type RunTimes, withRunTime } from "./run-times.ts";
import { isForgotten, NO_RUNS, type RunWindows, withOutcome } from "./run-windows.ts";

/** What one workspace found at an endpoint. */
export interface WorkspaceEvidence {
  readonly workspaceId: string;
  /** For this workspace's own eyes; see `JudgedRun`. */
  readonly isPrivate: boolean;
  readonly windows: RunWindows;
}

/** What all workspaces found at an endpoint, in constant memory; never changed. */
export interface EndpointEvidence {
  /** Who ran it last is last. */
  readonly workspaces: readonly WorkspaceEvidence[];
  readonly times: RunTimes;
}

/** So many, those that ran an endpoint last, are heard. Each takes one place, however often it runs. */
const MAX_WORKSPACES = 32;

export const NO_EVIDENCE: EndpointEvidence = { workspaces: [], times: [] };

export function withRun(
  { workspaces, times }: EndpointEvidence,
  workspaceId: string,
  { isPrivate, runTimeMs, ...outcome }: JudgedRun,
): EndpointEvidence {
  const isThis = (evidence: WorkspaceEvidence) =>
    evidence.workspaceId === workspaceId && evidence.isPrivate === isPrivate;
  const before = workspaces.find(isThis)?.windows ?? NO_RUNS;
  const now = { workspaceId, isPrivate, windows: withOutcome(before, outcome) };
  return {
    workspaces: keepLast([...workspaces.filter((evidence) => !isThis(evidence)), now]),
    times: runTimeMs === undefined ? times : withRunTime(times, outcome.at, runTimeMs),
  };
}

/** Without those whose runs can count no more; undefined when nobody is left. */
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
