import { ApiError } from "../../../shared/errors.ts";
import { rateLimitHeaders } from "../../http/limits/rate-limits.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

/** How many runs may be open at the same time. Absent: no limit. */
export interface OpenRunLimits {
  /** For one workspace. */
  readonly workspace?: number;
  /** For one key, or for one user of the identity provider. */
  readonly key?: number;
  /** Of one workspace, runs that wait for a person's approval. Absent: 1,000; each keeps its input in memory. */
  readonly waitingForApproval?: number;
}

/** Counts open runs. Runs that were refused, BLOCKED or have ended are not counted. */
export interface OpenRunCount {
  /** Throws 429 if the run's key or workspace has too many already. Call it in the step that commits the run. */
  begin(run: RunRecord): void;
  /** Counts a run that an earlier process or another daemon began. It never throws: a limit must not drop an accepted run. */
  resume(run: RunRecord): void;
  /** Does nothing for a run that is not counted. */
  end(run: RunRecord): void;
}

/**
 * A run counts once for each started unit of this many bytes of input (as JSON), since the input stays in memory until
 * the run has ended. A thousand runs with inputs of a megabyte count as much as sixteen thousand small ones, which take
 * about 8 KB each.
 */
const INPUT_BYTES_PER_RUN = 65_536;
/** Short, because runs end all the time. */
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
      // A store may ask twice what to write, when what came of the first time is not known.
      if (sizes.has(run.runId)) return;
      const size = sizeOf(run);
      check("key", byKey.get(keyName(run)) ?? 0, size, limits.key);
      check("workspace", byWorkspace.get(run.workspaceId) ?? 0, size, limits.workspace);
      count(run, size);
    },
    resume(run) {
      if (!sizes.has(run.runId)) count(run, sizeOf(run));
    },
    end(run) {
      const size = sizes.get(run.runId);
      if (size === undefined) return;
      sizes.delete(run.runId);
      change(run, -size);
    },
  };
}

/** The first run always fits, however large it is. */
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
