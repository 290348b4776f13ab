import type { RunId } from "../../base/ids.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { EntryVersions } from "../../catalog/editions/entry-versions.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import type { Guard } from "../../ledger/transaction/commit-errors.ts";
import { keyStillActive } from "../../ledger/transaction/asked-change.ts";
import { commitMade } from "../../ledger/transaction/commit-made.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { RunAhead } from "../../reuse/runs-ahead.ts";
import type { RunReuse } from "../../ledger/records/reuse-record.ts";
import type { RunIdempotency } from "../../ledger/records/idempotency-record.ts";
import type { Spender } from "../../ledger/transaction/money-reads.ts";
import type { RunSchedule } from "../../ledger/records/schedule-records.ts";
import type { IdentityStore } from "../../ledger/stores/identity-store.ts";
import type { Logger } from "../../base/logger.ts";
import type { Committer } from "../../ledger/transaction/transaction.ts";
import type { AdmittedRun } from "../admission/admission.ts";
import { firstStep, type MoneyRefusal, MoneyRefused, reusedStep } from "../admission/money-gates.ts";
import { newRun } from "./new-run.ts";
import type { OpenRunCount, OpenRunLimits } from "../queue/open-run-limits.ts";
import { laneOf } from "../queue/provider-lane.ts";
import { keyLimitRefusal, maxCostRefusal, scheduleBudgetRefusal, walletRefusal } from "../admission/refusal-words.ts";
import type { LiveRun } from "../work/live-run.ts";
import type { RunDriver } from "../work/run-driver.ts";
import { askedEvents, runEndEvents } from "../lifecycle/run-events.ts";
import type { FirstStep } from "../lifecycle/run-lifecycle.ts";
import { checkNotOvertaken, Overtaken } from "../queue/overtaken.ts";
import type { ProviderPlace, RunQueue } from "../queue/run-queue.ts";
import { waitsForApproval } from "../../ledger/records/approval-records.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";

export interface RunStarterParts {
  readonly versions: Pick<EntryVersions, "keep">;
  readonly store: Committer & Pick<IdentityStore, "listWorkspaces">;
  readonly clock: Clock;
  readonly newId: () => string;
  /** True: the wallet gate is off, for a single person who wants no wallet. */
  readonly unlimited: boolean;
  readonly logger: Logger;
  readonly queue: RunQueue;
  readonly openRuns: OpenRunCount;
  readonly openRunLimits?: Pick<OpenRunLimits, "waitingForApproval">;
  readonly driver: RunDriver;
  /** Where several daemons work on the store: runs that another one drives and that wait for a person. */
  readonly waitingElsewhere?: (workspaceId: string) => number;
  /** A request, made at `sinceMs`, passed the first gates and is to become this run. */
  readonly onAdmitted?: (runId: RunId, sinceMs: number) => void;
}

/** What asked for a run. */
export interface RunOrigin {
  readonly idempotency?: RunIdempotency | undefined;
  readonly schedule?: RunSchedule | undefined;
  /** What must hold when the run is accepted, beside its key. */
  readonly guards?: readonly Guard[] | undefined;
  /** When the request was made, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
}

/** How a run begins, besides what was admitted. */
export interface RunBeginning extends RunOrigin {
  readonly reuse: RunReuse | undefined;
  /** Equal runs wait for this one; it is ended here if the run does not start. */
  readonly lead?: RunAhead | undefined;
  /** An equal run is under way: it waits for that one before it asks for a place at its provider. */
  readonly isLed?: boolean;
}

/** Makes an admitted run durable and starts it. */
export class RunStarter {
  readonly #parts: RunStarterParts;
  /** Runs whose first line is being written to the disk. */
  readonly #beginning = new Set<Promise<unknown>>();

  constructor(parts: RunStarterParts) {
    this.#parts = parts;
  }

  /**
   * Returns the started run, or the BLOCKED run, which ended at once. Throws the refusals of the money gates,
   * rateLimited if too many runs are open, and `Overtaken` when an equal run of another daemon was quicker.
   */
  begin(caller: WorkspaceCaller, admitted: AdmittedRun, how: RunBeginning): Promise<LiveRun | RunRecord> {
    return this.#counted(this.#begin(caller, admitted, how));
  }

  /** Records a run that has the answer of an earlier one: no place, no hold, no call. */
  async beginReused(
    caller: WorkspaceCaller,
    admitted: AdmittedRun,
    { source, ...how }: RunBeginning & { readonly source: RunRecord },
  ): Promise<RunRecord> {
    const run = this.#newRun(caller, admitted, { ...how, hasPlace: false });
    const step = commitMade(this.#parts.store, {
      of: spenderOf(caller, run),
      guards: [...keyStillActive(caller), ...(how.guards ?? [])],
      make(money) {
        const ended = reusedStep(run, money, source);
        return { ...ended, line: { ...ended.line, ...runEndEvents(ended.run, money) } };
      },
    });
    return (await this.#counted(step)).run;
  }

  #counted<Result>(beginning: Promise<Result>): Promise<Result> {
    this.#beginning.add(beginning);
    const end = () => void this.#beginning.delete(beginning);
    beginning.then(end, end);
    return beginning;
  }

  /** Resolves when every run that is being started now has started or was refused; never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#beginning);
  }

  async #begin(caller: WorkspaceCaller, admitted: AdmittedRun, how: RunBeginning): Promise<LiveRun | RunRecord> {
    const { queue, openRuns, driver } = this.#parts;
    const { entry, body } = admitted;
    const { lead } = how;
    const outlives = (admitted.route?.entry ?? entry).async !== undefined || entry.request.run !== undefined;
    if (outlives) for (const one of admitted.route?.entries ?? [entry]) await this.#keepVersion(one);
    const { workspaceId, actor } = caller;
    const place = how.isLed
      ? undefined
      : queue.tryEnter(laneOf(entry.provider.provider, entry), { workspaceId, caller: actor });
    const run = this.#newRun(caller, admitted, { ...how, hasPlace: place !== undefined });
    let step: FirstStep;
    try {
      step = await this.#commit(caller, run, admitted, { ...how, place });
    } catch (error) {
      openRuns.end(run);
      place?.cancel();
      lead?.end();
      throw error instanceof MoneyRefused ? await this.#toApiError(error.refusal, caller, run.heldMicroDollars) : error;
    }
    if (isTerminal(step.run)) {
      place?.cancel();
      lead?.end();
      return step.run;
    }
    if (step.effect === "waitForApproval") {
      place?.cancel();
      // Equal runs must not wait for a person's answer to this one. Approved, it looks for an earlier answer again.
      lead?.end();
      return await this.#awaitApproval(step, admitted.route?.entries ?? [entry]);
    }
    const kept = step.run.status === "RUNNING" ? place : undefined;
    if (kept === undefined) place?.cancel();
    // A queued run must not keep a large body in memory: it is built again from its input.
    return driver.drive(step.run, step.effect, {
      entry,
      place: kept,
      lead,
      ...(kept !== undefined && body && { body }),
      ...(admitted.route !== undefined && { members: admitted.route.entries }),
    });
  }

  #newRun(
    caller: WorkspaceCaller,
    admitted: AdmittedRun,
    { idempotency, schedule, reuse, hasPlace, sinceMs }: RunBeginning & { readonly hasPlace: boolean },
  ): RunRecord {
    const { newId, clock, onAdmitted } = this.#parts;
    const at = isoNow(clock);
    const runId = newId();
    if (sinceMs !== undefined) onAdmitted?.(runId, sinceMs);
    return newRun(caller, admitted, {
      runId,
      newResourceId: newId,
      at,
      hasPlace,
      idempotency,
      schedule,
      reuse,
    });
  }

  /** The last gates, the hold and the count of open runs are one step with the line. */
  #commit(
    caller: WorkspaceCaller,
    run: RunRecord,
    { estimateMicroDollars }: AdmittedRun,
    { guards, lead, place }: RunBeginning & { readonly place: ProviderPlace | undefined },
  ): Promise<FirstStep> {
    const { store, unlimited, openRuns, openRunLimits, driver, waitingElsewhere } = this.#parts;
    return commitMade(store, {
      of: spenderOf(caller, run),
      guards: [...keyStillActive(caller), ...(guards ?? [])],
      make(money) {
        const now = waitingElsewhere === undefined ? run : placedNow(run, { place, lead });
        const first = firstStep(now, money, { unlimited, estimateMicroDollars });
        if (!isTerminal(first.run)) {
          const waits = waitsForApproval(first.run);
          if (waits) {
            const elsewhere = waitingElsewhere?.(caller.workspaceId) ?? 0;
            checkRoomToWait(
              driver.listWaiting(caller.workspaceId).length + elsewhere,
              openRunLimits?.waitingForApproval,
            );
          }
          openRuns.begin(run);
          return waits ? { ...first, line: { ...first.line, ...askedEvents(first.run, money) } } : first;
        }
        return { ...first, line: { ...first.line, ...runEndEvents(first.run, money) } };
      },
    });
  }

  /** Somebody has to hear of it, or nobody comes. It may wait longer than this process lives. */
  async #awaitApproval({ run, effect }: FirstStep, members: readonly CatalogEntry[]): Promise<LiveRun> {
    const { driver, logger } = this.#parts;
    const { runId, workspaceId, provider, endpoint, keyLabel, heldMicroDollars, approval } = run;
    const facts = {
      runId,
      workspaceId,
      provider,
      endpoint,
      keyLabel,
      heldMicroDollars,
      expiresAt: approval?.expiresAt,
    };
    logger.info(facts, "a run waits for approval");
    const live = driver.drive(run, effect, { entry: members[0], members, place: undefined, lead: undefined });
    for (const entry of members) await this.#keepVersion(entry);
    return live;
  }

  /** The run's job may outlive this process. */
  async #keepVersion({ provider }: CatalogEntry): Promise<void> {
    const { versions, logger } = this.#parts;
    await versions.keep(provider).catch((error: unknown) => {
      logger.warn({ err: error, provider: provider.provider }, "the version of a provider's file was not kept");
    });
  }

  async #toApiError(
    { kind, available }: MoneyRefusal,
    caller: WorkspaceCaller,
    required: MicroDollars,
  ): Promise<ApiError> {
    if (kind === "maxCost") return maxCostRefusal({ required, maxCost: available });
    if (kind === "schedule") return scheduleBudgetRefusal({ required, available });
    if (kind === "keyLimit") return keyLimitRefusal(caller.key, { required, available });
    // The first workspace is the operator's own, which is the default of the command.
    const [, ...others] = await this.#parts.store.listWorkspaces();
    const own = others.find(({ workspaceId }) => workspaceId === caller.workspaceId);
    return walletRefusal({ required, balance: available, workspace: own?.slug });
  }
}

/**
 * The run as it begins with all lines before it: in line, when another daemon took the slot meanwhile. Throws `Overtaken` when
 * one took the call.
 */
function placedNow(run: RunRecord, { place, lead }: Pick<RunBeginning, "lead"> & { place: ProviderPlace | undefined }) {
  try {
    checkNotOvertaken({ place, lead, wantsAnswer: run.reuse?.maxAgeSeconds !== undefined });
    return run;
  } catch (error) {
    if (!(error instanceof Overtaken) || error.by !== "slot") throw error;
    place?.cancel();
    const { startedAt: _startedAt, ...waiting } = run;
    return { ...waiting, status: "READY" as const };
  }
}

function spenderOf({ workspaceId, key }: WorkspaceCaller, { schedule }: RunRecord): Spender {
  return { workspaceId, keyId: key?.keyId, scheduleId: schedule?.scheduleId };
}

const MAX_WAITING_FOR_APPROVAL = 1_000;

/** Waiting does not help, a decision does. */
function checkRoomToWait(waiting: number, most = MAX_WAITING_FOR_APPROVAL): void {
  if (waiting < most) return;
  throw new ApiError(
    "forbidden",
    `${waiting} runs of this workspace wait for approval, which is the maximum; nothing was run. Have some approved or denied`,
    { errorCode: "APPROVALS_FULL", extra: { next: "mkt approvals" } },
  );
}
