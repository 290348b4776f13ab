import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RunId } from "../base/ids.ts";
import type { Answered } from "../http/server.ts";
import { movedOn, SERVICE_CHARGED } from "../ledger/money/postings.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { ReadWhenAsked } from "./read-when-asked.ts";

/** Gauges of the library that are named as counters, which `promtool check metrics` refuses. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Seconds. */
const PROVIDER_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
const RUN_SECONDS = [0.01, 0.1, 1, 10, 60, 600, 3_600];
const ANSWER_SECONDS = [0.01, 0.1, 1, 10];
const COMMIT_SECONDS = [0.0005, 0.001, 0.003, 0.01, 0.03, 0.1, 1];
const BATCH_LINES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export interface DatabaseFacts {
  /** Of the pool, as `idle` and `waiting`. */
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
  readonly isAway: boolean;
  readonly leaseLeftMs: number;
  readonly isLeading: boolean;
}

/**
 * Counts what happens in this process since its start. No label has values that grow with endpoints, runs, keys or inputs:
 * docs/metrics.md lists every metric.
 */
export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #open = new Map<RunId, "waiting" | "running">();
  readonly #runsAccepted = this.#counter("mkt_runs_accepted_total", "Runs that were accepted.");
  readonly #runsEnded = this.#counter("mkt_runs_ended_total", "Runs that ended, by status.", ["status"]);
  readonly #charged = this.#counter(
    "mkt_charged_microdollars_total",
    "What was charged to all workspaces, in millionths of a dollar.",
  );
  readonly #runSeconds = this.#histogram("mkt_run_seconds", "From the acceptance of a run to its end.", RUN_SECONDS);
  readonly #runWaitSeconds = this.#histogram(
    "mkt_run_wait_seconds",
    "From the acceptance of a run to its slot at the provider.",
    RUN_SECONDS,
  );
  readonly #providerSeconds = this.#histogram(
    "mkt_provider_request_seconds",
    "Requests to providers, by the class of the answer: 2xx, 3xx, 4xx, 5xx or none.",
    PROVIDER_SECONDS,
    ["answer"],
  );
  readonly #commits = this.#histogram(
    "mkt_commit_seconds",
    "Writes of the journal to the disk, or commits in the database.",
    COMMIT_SECONDS,
  );
  readonly #commitLines = this.#histogram("mkt_commit_lines", "Lines of the journal in one write.", BATCH_LINES);
  readonly #answers = this.#counter("mkt_http_answers_total", "Answers, by operation and class of status.", [
    "operation",
    "status",
  ]);
  readonly #answerSeconds = this.#histogram(
    "mkt_http_answer_seconds",
    "Time to answer, by operation.",
    ANSWER_SECONDS,
    ["operation"],
  );

  #takeover: { readonly fenced: Counter; readonly takenOver: Counter } | undefined;

  constructor(version: string) {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    this.#gauge(
      "mkt_runs_open",
      "Runs under way: waiting for a person or a slot at their provider, or running there.",
      (gauge) => {
        const waiting = [...this.#open.values()].filter((state) => state === "waiting").length;
        gauge.set({ state: "waiting" }, waiting);
        gauge.set({ state: "running" }, this.#open.size - waiting);
      },
      ["state"],
    );
    this.#gauge("mkt_build_info", "1; the version is a label.", (gauge) => gauge.set({ version }, 1), ["version"]);
  }

  /** Runs that another process left open, and that this one drives now. Call it before it commits a line of them. */
  startWith(openRuns: readonly Pick<RunRecord, "runId" | "status">[]): void {
    for (const { runId, status } of openRuns) this.#open.set(runId, stateOf(status));
  }

  /** Adds what is read each time that somebody asks. Call it once. */
  readAlso({ endpoints, hasRoom, damagedPlaces }: ReadWhenAsked): void {
    this.#gauge("mkt_endpoints_enabled", "Endpoints that are enabled.", (gauge) => gauge.set(endpoints()));
    this.#gauge("mkt_storage_writable", "1; 0 while the disk is full.", (gauge) => gauge.set(Number(hasRoom())));
    this.#gauge("mkt_storage_damaged_places", "Places on the disk that are known to be damaged.", (gauge) =>
      gauge.set(damagedPlaces()),
    );
  }

  /** The database, its connections, and this daemon's place among those that work on it. Without a database these are not served. */
  watchDatabase(facts: () => DatabaseFacts): void {
    this.#gauge("mkt_database_connections_open", "Connections of the pool that are open.", (gauge) =>
      gauge.set(facts().open),
    );
    this.#gauge("mkt_database_connections_idle", "Connections of the pool that do nothing.", (gauge) =>
      gauge.set(facts().idle),
    );
    this.#gauge("mkt_database_waiting", "Work that waits for a connection of the pool.", (gauge) =>
      gauge.set(facts().waiting),
    );
    this.#gauge("mkt_database_away", "1 while the database does not answer, else 0.", (gauge) =>
      gauge.set(Number(facts().isAway)),
    );
    this.#gauge("mkt_lease_left_seconds", "For how long this daemon's lease still holds; 0 when it is over.", (gauge) =>
      gauge.set(facts().leaseLeftMs / 1_000),
    );
    this.#gauge(
      "mkt_leading",
      "1 at the daemon that does schedules, deliveries, renewals and retention, else 0.",
      (gauge) => gauge.set(Number(facts().isLeading)),
    );
    const fenced = this.#counter("mkt_daemons_fenced_total", "Silent daemons that this one has fenced.");
    const takenOver = this.#counter("mkt_runs_taken_over_total", "Runs of other daemons that this one took over.");
    this.#takeover = { fenced, takenOver };
  }

  /** How many other daemons on the database have another catalog. Call it once. */
  watchCatalogs(differing: () => number): void {
    this.#gauge(
      "mkt_daemons_with_other_catalog",
      "Other daemons on the database that have had another catalog for three leases.",
      (gauge) => gauge.set(differing()),
    );
  }

  /** Daemons were fenced, or open runs of others became this daemon's. */
  tookOver({
    fenced,
    runs,
  }: {
    readonly fenced: readonly string[];
    readonly runs: readonly Pick<RunRecord, "runId" | "status">[];
  }): void {
    this.#takeover?.fenced.inc(fenced.length);
    this.#takeover?.takenOver.inc(runs.length);
    this.startWith(runs);
  }

  /** Lines became durable with one write to the disk, which took `ms`. */
  committed(lines: readonly Line[], ms: number): void {
    this.#commits.observe(ms / 1_000);
    this.#commitLines.observe(lines.length);
    for (const line of lines) {
      if ("led" in line) this.#charged.inc(movedOn(SERVICE_CHARGED, line.led));
      if (line.t === "run.accepted") this.#accepted(line.rec);
      else if (line.t === "run.go") this.#open.set(line.run as RunId, "running");
      else if (line.t === "run.done") this.#ended(line.rec);
    }
  }

  /** A request was answered. */
  answered({ operation, status, ms }: Answered): void {
    this.#answers.inc({ operation, status: classOf(status) });
    this.#answerSeconds.observe({ operation }, ms / 1_000);
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #accepted({ runId, status }: RunRecord): void {
    this.#runsAccepted.inc();
    this.#open.set(runId, stateOf(status));
  }

  #ended({ runId, status, createdAt, startedAt, completedAt, attempts }: RunRecord): void {
    this.#open.delete(runId);
    this.#runsEnded.inc({ status });
    if (completedAt !== undefined) this.#runSeconds.observe(secondsBetween(createdAt, completedAt));
    if (startedAt !== undefined) this.#runWaitSeconds.observe(secondsBetween(createdAt, startedAt));
    for (const { durationMs, httpStatus } of attempts) {
      this.#providerSeconds.observe({ answer: classOf(httpStatus) }, durationMs / 1_000);
    }
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: readonly number[], labelNames: readonly string[] = []): Histogram {
    return new Histogram({ name, help, buckets: [...buckets], labelNames, registers: [this.#registry] });
  }

  /** `read` sets it each time that somebody asks. */
  #gauge(name: string, help: string, read: (gauge: Gauge) => void, labelNames: readonly string[] = []): void {
    const registers = [this.#registry];
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers, collect: () => read(gauge) });
  }
}

function stateOf(status: RunRecord["status"]): "waiting" | "running" {
  return status === "READY" ? "waiting" : "running";
}

/** `2xx` and so on; `none` without an answer. */
function classOf(status: number | undefined): string {
  return status === undefined ? "none" : `${Math.floor(status / 100)}xx`;
}

/** Never below 0: the wall clock may have been set back meanwhile. */
function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
}
