import type { RunId, WorkspaceId } from "../base/ids.ts";
import type { Quote } from "../../shared/contract/quote.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { EntryVersions } from "../catalog/editions/entry-versions.ts";
import type { Clock } from "../base/clock.ts";
import type { Cluster, OrderOutcome, RunOrder } from "../cluster/cluster.ts";
import { outcomeOf } from "../cluster/order-outcome.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { Logger } from "../base/logger.ts";
import type { Provider } from "../providers/protocol/provider.ts";
import type { ReuseStore } from "../ledger/stores/reuse-store.ts";
import { EarlierAnswers } from "../reuse/earlier-answers.ts";
import type { CredentialOf } from "../reuse/plan-reuse.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import type { AccountLookup } from "./admission/account-lookup.ts";
import type { AdmissionFacts, AdmissionParts, AdmittedRun } from "./admission/admission.ts";
import { answerToStart } from "./starting/answer-to-start.ts";
import { admitRun } from "./admission/admit-run.ts";
import { countOpenRuns, type OpenRunCount, type OpenRunLimits } from "./queue/open-run-limits.ts";
import { quoteRun } from "./admission/quote.ts";
import { logRunEnd } from "./log-run-end.ts";
import { ReuseOrStart } from "./starting/reuse-or-start.ts";
import type { LiveRun } from "./work/live-run.ts";
import type { RunAtWorkParts } from "./work/run-at-work.ts";
import { RunApprovals } from "./run-approvals.ts";
import { createRunDriver, type RunDriver } from "./work/run-driver.ts";
import { IllegalRunEvent } from "./lifecycle/run-lifecycle.ts";
import { createRunQueue } from "./queue/run-queue.ts";
import { runNotFound, RunReader } from "./answers/run-reader.ts";
import { isTerminal, type RunRecord } from "../ledger/records/run-record.ts";
import { type RunOrigin, RunStarter, type RunStarterParts } from "./starting/run-starter.ts";
import type { RunFilter, RunSlice, RunStore } from "../ledger/stores/run-store.ts";
import { RunsElsewhere } from "./work/runs-elsewhere.ts";
import { forgetVersions, takeUpRuns } from "./work/take-up-runs.ts";
import { WaitingCallers } from "./starting/waiting-callers.ts";

export interface RunService {
  /**
   * Admits, holds and starts a run. Resolves when the run is durable and, for a sync endpoint, has ended; with
   * `waitSeconds` it waits for an async run as well. The returned state is durable; it is BLOCKED if a budget or run
   * cap refused the run. Throws rateLimited if too many runs are open or too many callers wait.
   */
  start(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord>;
  /**
   * As `start`, for a schedule: resolves as soon as the run is durable, or BLOCKED. Throws `GuardFailed` when the due time
   * is used, the schedule is gone or paused, or a run of it is open that must not overlap.
   */
  begin(caller: WorkspaceCaller, request: RunRequest, origin: RunOrigin): Promise<RunRecord>;
  /** Throws what `start` would throw for this request before money and load are asked about. */
  check(caller: WorkspaceCaller, request: RunRequest): Promise<Pick<AdmittedRun, "entry" | "input">>;
  /**
   * What `start` would cost and which gates would refuse it, apart from the daemon's own load. Calls, holds and records
   * nothing.
   */
  quote(caller: WorkspaceCaller, request: RunRequest, facts?: AdmissionFacts): Promise<Quote>;
  /** The run with everything that happened to it so far; throws notFound. */
  getSettled(workspaceId: WorkspaceId, runId: RunId): Promise<RunRecord>;
  /** Waits up to `waitSeconds` for the end. Throws notFound, and rateLimited if too many callers wait. */
  get(
    caller: WorkspaceCaller,
    runId: RunId,
    options?: { readonly waitSeconds?: number; readonly signal?: AbortSignal },
  ): Promise<RunRecord>;
  list(
    caller: WorkspaceCaller,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice>;
  /** Resolves when the stop request is durable. Throws conflict for a run that cannot be stopped. */
  stop(caller: WorkspaceCaller, runId: RunId): Promise<RunRecord>;
  /** Runs that wait for a person, and what the person says. */
  readonly approvals: RunApprovals;
  /** Resumes the runs that were open when the daemon last ended. Call once, before the first request. */
  recover(): Promise<void>;
  /**
   * Accepts no new work. Calls in flight may finish; after `graceMs` they are recorded as failed. Jobs at providers are
   * left for the next start.
   */
  close(options: { readonly graceMs: number }): Promise<void>;
}

export interface StartOptions extends RunOrigin, AdmissionFacts {
  readonly waitSeconds: number;
  readonly signal?: AbortSignal;
}

export interface RunServiceParts {
  readonly catalog: Catalog;
  readonly versions: EntryVersions;
  readonly store: RunStore &
    ReuseStore &
    AccountStore &
    ResourceStore &
    Pick<IdentityStore, "listWorkspaces" | "findKey" | "listMakers"> &
    Committer;
  readonly provider: Provider;
  readonly accounts?: AccountLookup;
  readonly toolCheck?: NonNullable<AdmissionParts["toolCheck"]>;
  readonly markets?: NonNullable<AdmissionParts["markets"]>;
  readonly figures?: NonNullable<AdmissionParts["figures"]>;
  readonly knownRefusals?: NonNullable<AdmissionParts["knownRefusals"]>;
  readonly onUnreachable?: NonNullable<AdmissionParts["onUnreachable"]>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** True: the wallet gate is off, for a single person who wants no wallet. */
  readonly unlimited: boolean;
  /** Absent: no run is answered from an earlier one. */
  readonly credentialOf?: CredentialOf;
  /** Absent: no limits. */
  readonly openRunLimits?: OpenRunLimits;
  readonly logger: Logger;
  /** Absent: this daemon is alone on its store. */
  readonly cluster?: Cluster;
  /** Called with every run that ended, after its end is durable. */
  readonly onFinished?: (run: RunRecord) => void;
  /** The same for runs that other daemons drove. */
  readonly onFinishedElsewhere?: (run: RunRecord) => void;
  readonly onAdmitted?: NonNullable<RunStarterParts["onAdmitted"]>;
  /** Called for every member of a route that a run left, with the run as it was there. */
  readonly onLeft?: NonNullable<RunAtWorkParts["onLeft"]>;
  /** The same for runs that other daemons drive. */
  readonly onLeftElsewhere?: NonNullable<RunAtWorkParts["onLeft"]>;
}

export function createRunService(parts: RunServiceParts): RunService {
  return new WorkingRunService(parts);
}

class WorkingRunService implements RunService {
  readonly #parts: RunServiceParts;
  readonly #openRuns: OpenRunCount;
  readonly #driver: RunDriver;
  readonly #starter: RunStarter;
  readonly #reader: RunReader;
  readonly #reuseOrStart: ReuseOrStart;
  readonly approvals: RunApprovals;
  readonly #waiting = new WaitingCallers();
  /** Undefined when this daemon is alone on its store. */
  readonly #elsewhere: RunsElsewhere | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: RunServiceParts) {
    const queue = createRunQueue();
    const openRuns = countOpenRuns(parts.openRunLimits ?? {});
    const onEnded = (run: RunRecord) => {
      openRuns.end(run);
      logRunEnd(parts.logger, run);
      parts.onFinished?.(run);
    };
    this.#parts = parts;
    this.#openRuns = openRuns;
    const earlierAnswers = new EarlierAnswers(parts);
    const { cluster } = parts;
    const elsewhere =
      cluster &&
      new RunsElsewhere({
        ...parts,
        cluster,
        queue,
        openRuns,
        earlierAnswers,
        onEnded: (run) => parts.onFinishedElsewhere?.(run),
        onLeft: (run, left) => parts.onLeftElsewhere?.(run, left),
      });
    this.#elsewhere = elsewhere;
    this.#driver = createRunDriver({
      ...parts,
      queue,
      onEnded,
      earlierAnswers,
      ...(cluster && { confirmLease: () => cluster.confirmLease() }),
    });
    this.#starter = new RunStarter({
      ...parts,
      queue,
      openRuns,
      driver: this.#driver,
      ...(elsewhere && { waitingElsewhere: (workspaceId) => elsewhere.listWaiting(workspaceId).length }),
    });
    this.#reuseOrStart = new ReuseOrStart({
      ...parts,
      starter: this.#starter,
      earlierAnswers,
      waiting: this.#waiting,
      isClosing: () => this.#closing !== undefined,
      onEnded,
    });
    this.#reader = new RunReader(parts.store);
    this.approvals = new RunApprovals({
      ...parts,
      driver: this.#driver,
      reader: this.#reader,
      ...(elsewhere && { elsewhere }),
    });
  }

  async start(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord> {
    // Checked before anything is accepted: a run that needs a waiting caller must not begin when no more callers may
    // wait.
    return await this.#waiting.whileWaiting(caller.workspaceId, options.waitSeconds, () =>
      this.#startAndWait(caller, request, options),
    );
  }

  async begin(caller: WorkspaceCaller, request: RunRequest, origin: RunOrigin): Promise<RunRecord> {
    const running = await this.#reuseOrStart.begin(caller, request, origin);
    return "runId" in running ? running : running.current();
  }

  async check(caller: WorkspaceCaller, request: RunRequest): Promise<Pick<AdmittedRun, "entry" | "input">> {
    const { entry, input, route } = await admitRun(this.#parts, caller, request);
    return route === undefined ? { entry, input } : { entry: route.entry, input: route.record.input ?? input };
  }

  async quote(caller: WorkspaceCaller, request: RunRequest, facts?: AdmissionFacts): Promise<Quote> {
    return await quoteRun(this.#parts, caller, request, facts);
  }

  async getSettled(workspaceId: WorkspaceId, runId: RunId): Promise<RunRecord> {
    await this.#find(runId)?.settled();
    const found = await this.#parts.store.findRun(workspaceId, runId);
    if (found === undefined) throw runNotFound(runId);
    return found;
  }

  async get(
    caller: WorkspaceCaller,
    runId: RunId,
    { waitSeconds = 0, signal }: { readonly waitSeconds?: number; readonly signal?: AbortSignal } = {},
  ): Promise<RunRecord> {
    // Looked up before the record: a run that ends in between is then read as ended, not taken for an abandoned one.
    const running = this.#find(runId);
    const found = await this.#reader.get(caller, runId);
    if (running === undefined || isTerminal(found)) return found;
    const work = async () => await this.#waiting.untilEnd(running, waitSeconds, signal);
    await this.#waiting.whileWaiting(caller.workspaceId, waitSeconds, work);
    return running.current();
  }

  async list(
    caller: WorkspaceCaller,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice> {
    return await this.#reader.list(caller, filter, page);
  }

  async stop(caller: WorkspaceCaller, runId: RunId): Promise<RunRecord> {
    const running = this.#find(runId);
    const found = await this.#reader.get(caller, runId);
    if (running === undefined) throw cannotStop(found);
    try {
      return await running.askStop();
    } catch (error) {
      if (error instanceof IllegalRunEvent) throw cannotStop(error.run);
      throw error;
    }
  }

  async recover(): Promise<void> {
    const parts = { ...this.#parts, openRuns: this.#openRuns, driver: this.#driver };
    const { cluster, store } = this.#parts;
    const elsewhere = this.#elsewhere;
    if (cluster === undefined || elsewhere === undefined) {
      const open = await store.listOpenRuns();
      await takeUpRuns(parts, open);
      await forgetVersions(parts, open);
      return;
    }
    await elsewhere.start();
    cluster.serveOrders(async (runId, order) => await this.#carryOut(runId, order));
    await cluster.takeOver(async (runIds) => {
      const open = runIds.flatMap((runId) => elsewhere.find(runId)?.current() ?? []);
      await takeUpRuns({ ...parts, handOver: (run, resume) => elsewhere.handOver(run.runId, resume) }, open);
    });
  }

  /** A run that this or another daemon works on. */
  #find(runId: RunId): LiveRun | undefined {
    return this.#driver.find(runId) ?? this.#elsewhere?.find(runId);
  }

  /** What was asked at another daemon, of a run that this one drives. */
  async #carryOut(runId: RunId, order: RunOrder): Promise<OrderOutcome> {
    try {
      if (order.kind === "decide") {
        return { kind: (await this.approvals.carryOut(runId, order)) ? "done" : "unfit" };
      }
      const running = this.#driver.find(runId);
      if (running === undefined) return { kind: "unfit" };
      await running.askStop();
      return { kind: "done" };
    } catch (error) {
      if (error instanceof IllegalRunEvent) return { kind: "unfit" };
      return outcomeOf(error);
    }
  }

  close({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#waiting.close();
    await this.#starter.settled();
    await this.#driver.close({ graceMs });
  }

  async #startAndWait(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord> {
    const running = await this.#reuseOrStart.begin(caller, request, options);
    if ("runId" in running) return running;
    return await answerToStart({ waiting: this.#waiting, clock: this.#parts.clock }, running, options);
  }
}

function cannotStop(run: RunRecord): ApiError {
  const why = isTerminal(run)
    ? `it is ${run.status}`
    : run.status === "STOPPING"
      ? "a stop is already under way"
      : "its endpoint answers at once and has no job to stop";
  return new ApiError("conflict", `Run ${run.runId} cannot be stopped: ${why}`);
}
