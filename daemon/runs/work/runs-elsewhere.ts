import type { RunId, WorkspaceId } from "../../base/ids.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Cluster, RunOrder } from "../../cluster/cluster.ts";
import { readOutcome } from "../../cluster/order-outcome.ts";
import { waitsForApproval } from "../../ledger/records/approval-records.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import type { LeftMember } from "../../ledger/records/run-route.ts";
import type { RunStore } from "../../ledger/stores/run-store.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { answerToGive, type EarlierAnswers } from "../../reuse/earlier-answers.ts";
import type { RunAheadElsewhere } from "../../reuse/runs-ahead.ts";
import type { OpenRunCount } from "../queue/open-run-limits.ts";
import { laneOf } from "../queue/provider-lane.ts";
import type { Decided, LiveRun } from "./live-run.ts";
import { IllegalRunEvent, replay } from "../lifecycle/run-lifecycle.ts";
import type { ProviderPlace, RunQueue } from "../queue/run-queue.ts";

export interface RunsElsewhereParts {
  readonly cluster: Cluster;
  readonly store: Pick<RunStore, "findRun" | "listOpenRuns">;
  readonly catalog: Pick<Catalog, "find">;
  readonly queue: RunQueue;
  readonly openRuns: OpenRunCount;
  readonly earlierAnswers: Pick<EarlierAnswers, "leadElsewhere">;
  /** A run of another daemon has ended. */
  readonly onEnded: (run: RunRecord) => void;
  /** It has left a member of its route; the run as it was there. */
  readonly onLeft: (run: RunRecord, left: LeftMember) => void;
}

/**
 * The open runs that other daemons drive, as the lines say. They count here as they do there: against the limits of open
 * runs, against the slots and the pace of their providers, and as equal runs that others wait for.
 */
export class RunsElsewhere {
  readonly #parts: RunsElsewhereParts;
  readonly #runs = new Map<RunId, RunElsewhere>();
  /** Lines that came while the open runs were being read. */
  #early: { readonly line: Line; readonly isOwn: boolean }[] | undefined = [];

  constructor(parts: RunsElsewhereParts) {
    this.#parts = parts;
    parts.cluster.watchLines((line, isOwn) => {
      if (this.#early === undefined) this.#take(line, isOwn);
      else this.#early.push({ line, isOwn });
    });
  }

  /** Takes up the runs that are open now; before the first request. */
  async start(): Promise<void> {
    const open = this.#parts.store.listOpenRuns();
    // What it lists, it takes from all lines until now.
    this.#early = [];
    for (const run of await open) this.#add(run, { begins: false });
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { line, isOwn } of early) this.#take(line, isOwn);
  }

  find(runId: RunId): LiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Runs of a workspace that wait for a person's approval, in any order. */
  listWaiting(workspaceId: WorkspaceId): readonly LiveRun[] {
    return [...this.#runs.values()].filter((one) => {
      const run = one.current();
      return run.workspaceId === workspaceId && waitsForApproval(run);
    });
  }

  /** The run is this daemon's from now on: `resume` begins its work. Who waits for the run goes on waiting. */
  handOver(runId: RunId, resume: () => LiveRun): void {
    const one = this.#runs.get(runId);
    this.#runs.delete(runId);
    // It leads the equal runs itself now; its slot it leaves after it has taken its own, so that nobody slips in.
    one?.leaveLead();
    const live = resume();
    one?.follow(live);
  }

  #take(line: Line, isOwn: boolean): void {
    if (!line.t.startsWith("run.") || !("run" in line)) return;
    if (line.t === "run.accepted") {
      if (!isOwn) this.#add(line.rec, { begins: true });
      return;
    }
    const known = this.#runs.get(line.run);
    if (known === undefined) {
      // It ended in its only line.
      if (line.t === "run.done" && !isOwn) this.#parts.onEnded(line.rec);
      return;
    }
    const before = known.current();
    known.become(replay(before, line));
    if (line.t === "run.next" && !isOwn) this.#parts.onLeft(before, line.left);
    if (line.t !== "run.done") return;
    this.#runs.delete(line.run);
    this.#parts.openRuns.end(line.rec);
    if (!isOwn) this.#parts.onEnded(line.rec);
  }

  #add(run: RunRecord, how: { readonly begins: boolean }): void {
    this.#parts.openRuns.resume(run);
    this.#runs.set(run.runId, new RunElsewhere(this.#parts, run, how));
  }
}

/** A run that another daemon drives. What is asked of it is carried to that one. */
class RunElsewhere implements LiveRun {
  readonly #parts: RunsElsewhereParts;
  #run: RunRecord;
  #place: ProviderPlace | undefined;
  #lead: RunAheadElsewhere | undefined;
  #ended: Promise<void> | undefined;
  #end: () => void = () => {};
  #live: LiveRun | undefined;

  /** `begins`: the run begins now; else it began some time ago, and does not count against the pace any more. */
  constructor(parts: RunsElsewhereParts, run: RunRecord, { begins }: { readonly begins: boolean }) {
    this.#parts = parts;
    this.#run = run;
    this.#enterPlaces(begins);
  }

  current(): RunRecord {
    return this.#live?.current() ?? this.#run;
  }

  /** Made when it is asked for: nobody waits for most runs. */
  get ended(): Promise<void> {
    if (isTerminal(this.current())) return this.#readEnd();
    this.#ended ??= new Promise<void>((resolve) => {
      this.#end = resolve;
    }).then(async () => await this.#readEnd());
    return this.#ended;
  }

  async askStop(): Promise<RunRecord> {
    const askedAt = this.current().stopRequestedAt;
    try {
      await this.#order({ kind: "stop" }, "stopAsked");
    } catch (error) {
      // Its first answer was lost with the daemon that gave it.
      const isStopped = askedAt === undefined && this.current().stopRequestedAt !== undefined;
      if (!(error instanceof IllegalRunEvent) || !isStopped) throw error;
    }
    return this.current();
  }

  async decide({ type, at, decision, keys }: Decided): Promise<RunRecord> {
    await this.#order({ kind: "decide", type, at, decision, keys }, type);
    return this.current();
  }

  async settled(): Promise<void> {
    await this.#parts.cluster.refresh();
  }

  /** What the lines say now. */
  become(run: RunRecord): void {
    const wasAt = atProvider(this.#run);
    this.#run = run;
    if (wasAt !== atProvider(run)) {
      this.#leavePlace();
      this.leaveLead();
      this.#enterPlaces(true);
    }
    if (isTerminal(run)) this.#end();
  }

  /** Who waits for its answer looks for it in the store: the line may only refer to its output. */
  leaveLead(): void {
    if (answerToGive(this.#run) === undefined) this.#lead?.end();
    else this.#lead?.endKept();
    this.#lead = undefined;
  }

  follow(live: LiveRun): void {
    this.#leavePlace();
    this.#live = live;
    void live.ended.then(() => this.#end());
  }

  #leavePlace(): void {
    this.#place?.release();
    this.#place = undefined;
  }

  #enterPlaces(begins: boolean): void {
    const { queue, catalog, earlierAnswers } = this.#parts;
    const { provider, endpoint, reuse, keyId } = this.#run;
    if (atProvider(this.#run) === undefined) return;
    const lane = laneOf(provider, catalog.find(provider, endpoint));
    this.#place = begins ? queue.beginElsewhere(lane, this.#run) : queue.takeAnyway(lane, this.#run);
    if (reuse !== undefined) this.#lead = earlierAnswers.leadElsewhere({ ...this.#run, keyId, reuse });
  }

  async #readEnd(): Promise<void> {
    if (this.#live !== undefined) return;
    const { workspaceId, runId } = this.#run;
    this.#run = (await this.#parts.store.findRun(workspaceId, runId).catch(() => undefined)) ?? this.#run;
  }

  async #order(order: RunOrder, event: IllegalRunEvent["event"]): Promise<void> {
    const { cluster } = this.#parts;
    const outcome = await cluster.ask(this.#run.runId, order);
    await cluster.refresh();
    if (outcome.kind === "unfit") throw new IllegalRunEvent(this.current(), event);
    readOutcome(outcome);
  }
}

/** The member of a route, or the endpoint, that the run is at; undefined while it waits and when it has ended. */
function atProvider({ status, startedAt, provider, endpoint }: RunRecord): string | undefined {
  const isThere = status === "RUNNING" || (status === "STOPPING" && startedAt !== undefined);
  return isThere ? `${provider}${endpoint}` : undefined;
}
