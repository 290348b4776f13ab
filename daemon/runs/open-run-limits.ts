import { ApiError } from "../../shared/errors.ts";
import { rateLimitHeaders } from "../http/rate-limits.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** How many runs may be under way at the same time; absent: as many as come. */
export interface OpenRunLimits {
  /** Of one workspace. */
  readonly workspace?: number;
  /** Of one key, or of one user of the identity provider. */
  readonly key?: number;
}

/** The runs under way, as far as they are counted; what was refused, BLOCKED or has ended is not. */
export interface OpenRunCount {
  /** Throws 429 where its key or its workspace has too many already. To be called in the step that takes the run. */
  begin(run: RunRecord): void;
  /** A run that an earlier process began: nothing that was accepted is lost to a limit. */
  resume(run: RunRecord): void;
  /** Does nothing for a run that is not counted. */
  end(run: RunRecord): void;
}

/**
 * Bytes of input, as JSON, for which a run counts as one: it is in memory until the run has ended. A thousand runs with inputs
 * of a megabyte are as much as sixteen thousand small ones, which take about 8 KB each.
 */
const INPUT_BYTES_PER_RUN = 65_536;
/** Runs end all the time: a caller need not wait for long before it tries again. */
const RETRY_SECONDS = 2;

export function countOpenRuns(limits: OpenRunLimits): OpenRunCount {
  const sizes = new Map<string, number>();
  const byWorkspace = new Map<string, number>();
  const byKey = new Map<string, number>();

  const add = (counts: Map<string, number>, name: string, change: number) => {
    const count = (counts.get(name) ?? 0) + change;
    if (count <= 0) counts.delete(name);
    else counts.set(name, count);
  };
  const change = (run: RunRecord, by: number) => {
    add(byWorkspace, run.workspaceId, by);
    add(byKey, keyName(run), by);
  };
  const count = (run: RunRecord, size: number) => {
    sizes.set(run.runId, size);
    change(run, size);
  };

  return {
    begin(run) {
      const size = sizeOf(run);
      check("key", byKey.get(keyName(run)) ?? 0, size, limits.key);
      check("workspace", byWorkspace.get(run.workspaceId) ?? 0, size, limits.workspace);
      count(run, size);
    },
    resume: (run) => count(run, sizeOf(run)),
    end(run) {
      const size = sizes.get(run.runId);
      if (size === undefined) return;
      sizes.delete(run.runId);
      change(run, -size);
    },
  };
}

/** A run always fits where there is none, however large it is. */
function check(whose: keyof OpenRunLimits, before: number, size: number, limit: number | undefined): void {
  if (limit === undefined || before === 0 || before + size <= limit) return;
  const owner = whose === "key" ? "key" : "workspace";
  throw new ApiError(
    "rateLimited",
    `This ${owner} has ${before} runs under way and may have ${limit} at a time` +
      `${size === 1 ? "" : ` (this one counts as ${size}, for its large input)`}; ` +
      `nothing was run. Wait for some to end, or stop some. Retry after ${RETRY_SECONDS}s.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
      headers: rateLimitHeaders({ rule: `open-runs-${owner}`, limit, remaining: 0, resetSeconds: RETRY_SECONDS }),
    },
  );
}

function sizeOf({ input }: RunRecord): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(input)) / INPUT_BYTES_PER_RUN));
}

function keyName({ workspaceId, caller }: RunRecord): string {
  return `${workspaceId} ${caller}`;
}
