import type { RunId, WorkspaceId } from "../base/ids.ts";
import type { EndedQuestion, EndedResource } from "./ended-resource.ts";
import type { CreatedRange, RunEntry } from "./run-entry.ts";
import type { WantedTerms } from "./run-terms.ts";
import type { SummedRuns, SumQuestion } from "./sum-tables.ts";

/** A line by its number; `Where` is its location in a back end. */
export interface PlacedLine<Where> {
  readonly seq: number;
  readonly where: Where;
}

export type IdRange = readonly [low: string, high: string];

/**
 * A range of the journal for readers: in memory for new lines, a sorted file for a sealed segment. A run belongs to the
 * range in which it ended. Blocks come newest first and are never empty.
 */
export interface HistoryPart<Where> {
  /** The highest number of a line that created a run in it. */
  readonly newestRun: number;
  /** The highest number of its lines. */
  readonly newestLine: number;
  /** Time of its newest line, ISO 8601; empty if it has none. */
  readonly newestAt: string;
  /**
   * False if no run in it was created in the given time range, or none by a line with a lower number than `before`. If true,
   * it may also contain runs outside of that.
   */
  hasRunsOf(created: CreatedRange, before: number): boolean;
  /** False if the run certainly did not end in it. */
  mayHaveRun(runId: RunId): boolean;
  /** The same with fewer false positives; for use when several parts may have the run. */
  probablyHasRun(runId: RunId): Promise<boolean>;
  findRun(runId: RunId): Promise<{ readonly workspaceId: WorkspaceId; readonly where: Where } | undefined>;
  /**
   * Runs of the workspace that were created by lines with a lower number than `before`: all that have the wanted terms and were
   * created in the time range, and possibly others.
   */
  runBlocks(
    workspaceId: WorkspaceId,
    before: number,
    wanted: WantedTerms,
    created: CreatedRange,
  ): AsyncIterable<readonly RunEntry<Where>[]>;
  /**
   * All runs of the workspace that fit, summed as far as the part can; undefined if they have to be looked at. Only a part that
   * does not change any more has it.
   */
  sumRuns?(workspaceId: WorkspaceId, question: SumQuestion): Promise<readonly SummedRuns[] | undefined>;
  /** Lines that moved money of the workspace, with lower numbers than `before`. */
  movementBlocks(workspaceId: WorkspaceId, before: number): AsyncIterable<readonly PlacedLine<Where>[]>;
  /**
   * Lines that ended runs which may have been requested with this Idempotency-Key (its hash), or whose answers may have
   * been kept under this key, newest first.
   */
  findByKey(key: string): Promise<readonly Where[]>;
  /** The lowest and the highest id of a resource that ended in it; undefined: none did, or it does not know of any. */
  readonly endedIds: IdRange | undefined;
  /** When the last resource ended in it that had paid for more than its first period, ISO 8601; empty if none did. */
  readonly newestRentedAt: string;
  findEndedResource(workspaceId: WorkspaceId, resourceId: string): Promise<EndedResource<Where> | undefined>;
  /**
   * Resources of the workspace that ended in it, with ids below `before`, the highest first: all that the question asks for, and
   * possibly others.
   */
  endedBlocks(
    workspaceId: WorkspaceId,
    before: string | undefined,
    question: EndedQuestion,
  ): AsyncIterable<readonly EndedResource<Where>[]>;
}
