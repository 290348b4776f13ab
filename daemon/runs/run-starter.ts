import { ApiError } from "../../shared/errors.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { EntryVersions } from "../catalog/editions/entry-versions.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { commitMade } from "../ledger/commit-made.ts";
import type { WorkspaceCaller } from "../http/caller.ts";
import type { RunIdempotency } from "../ledger/idempotency-record.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
import type { Logger } from "../base/logger.ts";
import type { Committer } from "../ledger/transaction.ts";
import type { AdmittedRun } from "./admission.ts";
import { firstStep, type MoneyRefusal, MoneyRefused } from "./money-gates.ts";
import { newRun } from "./new-run.ts";
import type { OpenRunCount } from "./open-run-limits.ts";
import { laneOf } from "./provider-lane.ts";
import { keyLimitRefusal, maxCostRefusal, walletRefusal } from "./refusal-words.ts";
import type { LiveRun } from "./run-at-work.ts";
import type { RunDriver } from "./run-driver.ts";
import type { FirstStep } from "./run-lifecycle.ts";
import type { RunQueue } from "./run-queue.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";

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
  readonly driver: RunDriver;
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
   * Returns the started run, or the BLOCKED run, which ended at once. Throws the refusals of the money gates, and
   * rateLimited if too many runs are open.
   */
  async begin(
    caller: WorkspaceCaller,
    admitted: AdmittedRun,
    idempotency: RunIdempotency | undefined,
  ): Promise<LiveRun | RunRecord> {
    const beginning = this.#begin(caller, admitted, idempotency);
    this.#beginning.add(beginning);
    return await beginning.finally(() => this.#beginning.delete(beginning));
  }

  /** Resolves when every run that is being started now has started or was refused; never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#beginning);
  }

  async #begin(
    caller: WorkspaceCaller,
    admitted: AdmittedRun,
    idempotency: RunIdempotency | undefined,
  ): Promise<LiveRun | RunRecord> {
    const { queue, newId, clock, openRuns, driver } = this.#parts;
    const { entry, body } = admitted;
    if (entry.async !== undefined) await this.#keepVersion(entry);
    const { workspaceId, actor } = caller;
    const place = queue.tryEnter(laneOf(entry.provider.provider, entry), { workspaceId, caller: actor });
    const run = newRun(caller, admitted, {
      runId: newId(),
      resourceId: newId(),
      at: isoNow(clock),
      hasPlace: place !== undefined,
      idempotency,
    });
    let step: FirstStep;
    try {
      step = await this.#commit(caller, run);
    } catch (error) {
      openRuns.end(run);
      place?.cancel();
      throw error instanceof MoneyRefused ? await this.#toApiError(error.refusal, caller, run.heldMicroDollars) : error;
    }
    if (isTerminal(step.run)) {
      place?.cancel();
      return step.run;
    }
    // A queued run must not keep a large body in memory: it is built again from its input.
    return driver.drive(step.run, step.effect, { entry, place, ...(place !== undefined && body && { body }) });
  }

  /** The last gates, the hold and the count of open runs are one step with the line. */
  async #commit({ workspaceId, key }: WorkspaceCaller, run: RunRecord): Promise<FirstStep> {
    const { store, unlimited, openRuns } = this.#parts;
    return await commitMade(store, {
      of: { workspaceId, keyId: key?.keyId },
      guards: key === undefined ? [] : [{ kind: "keyActive", keyId: key.keyId }],
      make(money) {
        const first = firstStep(run, money, { unlimited });
        if (!isTerminal(first.run)) openRuns.begin(run);
        return first;
      },
    });
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
    if (kind === "keyLimit") return keyLimitRefusal(caller.key, { required, available });
    // The first workspace is the operator's own, which is the default of the command.
    const [, ...others] = await this.#parts.store.listWorkspaces();
    const own = others.find(({ workspaceId }) => workspaceId === caller.workspaceId);
    return walletRefusal({ required, balance: available, workspace: own?.slug });
  }
}
