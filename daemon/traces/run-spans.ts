import type { RunId } from "../base/ids.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { spanIdOf, traceIdOf } from "./trace-ids.ts";

/** What happened in this process while a run was open, in milliseconds since 1970. */
export interface RunSteps {
  /** From the request to the first line. */
  readonly gates?: Period | undefined;
  readonly commits: readonly (Period & { readonly line: string })[];
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TracedSpan extends Period {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the span of the run. */
  readonly parentId?: string;
  readonly hasFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/**
 * A span for the run, and below it its gates, its wait for a place at the provider, the calls of the provider and the commits. Nothing
 * of an input or an output is in them.
 */
export function spansOf(run: RunRecord, { gates, commits }: RunSteps): readonly TracedSpan[] {
  const { runId, createdAt, startedAt, completedAt, attempts } = run;
  const begunMs = Date.parse(createdAt);
  const endMs = Math.max(begunMs, Date.parse(completedAt ?? createdAt), ...commits.map(({ toMs }) => toMs));
  const parts = [
    ...(gates === undefined ? [] : [partOf(runId, "gates", gates)]),
    ...(startedAt === undefined ? [] : [partOf(runId, "wait", { fromMs: begunMs, toMs: Date.parse(startedAt) })]),
    ...attempts.map((attempt, nth) => callOf(run, attempt, nth)),
    ...commits.map(({ line, ...period }, nth) => ({
      ...partOf(runId, "commit", period, nth),
      attributes: { "mkt.line": line },
    })),
  ];
  const fromMs = Math.min(begunMs, ...parts.map((part) => part.fromMs));
  return [{ ...spanOfRun(run), fromMs, toMs: Math.max(fromMs, endMs) }, ...parts];
}

function spanOfRun(run: RunRecord): Omit<TracedSpan, keyof Period> {
  const { runId, workspaceId, provider, endpoint, status, billing, providerResponse } = run;
  return {
    name: `run ${provider}${endpoint}`,
    kind: "internal",
    traceId: traceIdOf(runId),
    spanId: spanIdOf(runId),
    hasFailed: (status !== "COMPLETED" && status !== "STOPPED") || (providerResponse?.httpStatus ?? 0) >= 400,
    attributes: {
      "mkt.run.id": runId,
      "mkt.workspace.id": workspaceId,
      "mkt.provider": provider,
      "mkt.endpoint": endpoint,
      "mkt.run.status": status,
      ...(billing !== undefined && { "mkt.charged.microdollars": billing.actual }),
    },
  };
}

function callOf(run: RunRecord, attempt: RunRecord["attempts"][number], nth: number): TracedSpan {
  const fromMs = Date.parse(attempt.at);
  const { httpStatus, error } = attempt;
  return {
    ...partOf(run.runId, "call", { fromMs, toMs: fromMs + attempt.durationMs }, nth),
    name: `call ${run.provider}`,
    kind: "client",
    hasFailed: httpStatus === undefined || httpStatus >= 400,
    attributes: {
      ...(httpStatus !== undefined && { "http.response.status_code": httpStatus }),
      ...(error !== undefined && { "error.message": error }),
    },
  };
}

function partOf(runId: RunId, name: string, { fromMs, toMs }: Period, nth = 0): TracedSpan {
  return {
    name,
    kind: "internal",
    traceId: traceIdOf(runId),
    spanId: spanIdOf(runId, `${name} ${nth}`),
    parentId: spanIdOf(runId),
    hasFailed: false,
    attributes: {},
    fromMs,
    toMs: Math.max(fromMs, toMs),
  };
}
