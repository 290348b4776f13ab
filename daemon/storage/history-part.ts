import type { CreatedRange, RunEntry } from "./run-entry.ts";

/** A line by its number; `Where` says where a back end finds it. */
export interface PlacedLine<Where> {
  readonly seq: number;
  readonly where: Where;
}

/**
 * A stretch of the journal as readers ask for it: in memory for what is new, a sorted file for what is sealed. Runs are in
 * the stretch where they ended. What comes in blocks comes newest first; a block is never empty.
 */
export interface HistoryPart<Where> {
  /** No run in it was made known by a line of a higher number. */
  readonly newestRun: number;
  /** None of its lines has a higher number. */
  readonly newestLine: number;
  /** Time of its newest line, ISO 8601; empty when it has none. */
  readonly newestAt: string;
  /** False when no run in it was created in the range; runs outside of it may still come. */
  hasRunsOf(created: CreatedRange): boolean;
  /** False when the run surely did not end in it. */
  mayHaveRun(runId: string): boolean;
  /** The same, less often true without need: for when several may have it. */
  probablyHasRun(runId: string): Promise<boolean>;
  findRun(runId: string): Promise<{ readonly workspaceId: string; readonly where: Where } | undefined>;
  /** Runs of the workspace that lines of lower numbers than `before` made known. */
  runBlocks(workspaceId: string, before: number): AsyncIterable<readonly RunEntry<Where>[]>;
  /** Lines that moved money of the workspace, of lower numbers than `before`. */
  movementBlocks(workspaceId: string, before: number): AsyncIterable<readonly PlacedLine<Where>[]>;
  /** Lines that ended runs which may have been asked for with this Idempotency-Key (its hash), newest first. */
  findByKey(key: string): Promise<readonly Where[]>;
}
