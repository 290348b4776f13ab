import { setTimeout as delay } from "node:timers/promises";
import { balanceAccount } from "../ledger/money/postings.ts";
import { isoNow } from "../base/clock.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import { NoAnswerError } from "../providers/protocol/provider.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { giveBackResource } from "./give-back-resource.ts";
import type { KeeperParts } from "./keeper-parts.ts";
import { renewResource } from "./renew-resource.ts";
import { dueWork, waitsForMoney } from "./resource-lifecycle.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";

/**
 * How often due work is looked for. Looking is cheap, and a timer for the next date alone would miss a changed clock or
 * a machine that slept.
 */
const LOOK_EVERY_MS = 500;
/** Maximum number of concurrent calls to providers. */
const MOST_AT_ONCE = 8;
/** How long a resource is left alone after a failure of our own, such as a full disk. */
const FAULT_PAUSE_MS = 30_000;

/** Charges rents and releases resources when they are due. */
export interface Renewals extends AsyncDisposable {
  /** Looks for due work at once, then periodically. Work that an earlier process left is due like any other. */
  start(): void;
  /** Looks now, because something may be due. */
  wake(): void;
  /** Does what is due now; resolves when it is done. */
  tick(): Promise<void>;
  /** Interrupts calls to providers, which the next start repeats. Waits for charges in progress. */
  close(): Promise<void>;
}

export interface RenewalsParts extends Omit<KeeperParts, "signal"> {
  readonly store: KeeperParts["store"] & Pick<AccountStore, "readAccounts">;
}

export function createRenewals(parts: RenewalsParts): Renewals {
  return new RenewalLoop(parts);
}

type DueWork = "renew" | "giveBack";

class RenewalLoop implements Renewals {
  readonly #parts: RenewalsParts;
  readonly #closing = new AbortController();
  /** Resources being processed: one call at a time for each. */
  readonly #working = new Map<string, Promise<void>>();
  readonly #pausedUntilMs = new Map<string, number>();
  /** True: more work is due and waits for one of these to finish. */
  #moreIsDue = false;
  #sleeping = new AbortController();
  #looping: Promise<void> | undefined;

  constructor(parts: RenewalsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#looping ??= this.#loop();
  }

  wake(): void {
    this.#sleeping.abort();
  }

  async tick(): Promise<void> {
    while (!(await this.#begin())) await Promise.all(this.#working.values());
    await Promise.all(this.#working.values());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#sleeping.abort();
    await this.#looping;
    await Promise.all(this.#working.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #loop(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#sleeping = new AbortController();
      const { signal } = this.#sleeping;
      try {
        this.#moreIsDue = !(await this.#begin());
      } catch (error) {
        this.#parts.logger.error({ err: error }, "due resources could not be looked for");
      }
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Begins what is due, as far as there is room; false when some of it has to wait for room. */
  async #begin(): Promise<boolean> {
    for (const resource of await this.#parts.store.listLiveResources()) {
      const { resourceId } = resource;
      if (this.#working.has(resourceId) || this.#isPaused(resourceId)) continue;
      const work = await this.#workDue(resource);
      if (work === undefined || this.#closing.signal.aborted) continue;
      if (this.#working.size >= MOST_AT_ONCE) return false;
      this.#working.set(
        resourceId,
        this.#workOn(resource, work).finally(() => this.#leave(resourceId)),
      );
    }
    return true;
  }

  #isPaused(resourceId: string): boolean {
    return (this.#pausedUntilMs.get(resourceId) ?? 0) > performance.now();
  }

  async #workDue(resource: ResourceRecord): Promise<DueWork | undefined> {
    const { store, clock, unlimited } = this.#parts;
    const work = dueWork(resource, isoNow(clock));
    if (work !== undefined || !waitsForMoney(resource)) return work;
    const [balance = 0] = await store.readAccounts([balanceAccount(resource.workspaceId)]);
    return unlimited || balance >= (resource.renewal?.amountMicroDollars ?? 0) ? "renew" : undefined;
  }

  async #workOn(resource: ResourceRecord, work: DueWork): Promise<void> {
    const { resourceId } = resource;
    const keeper = { ...this.#parts, signal: this.#closing.signal };
    try {
      await (work === "renew" ? renewResource(keeper, resource) : giveBackResource(keeper, resource));
      this.#pausedUntilMs.delete(resourceId);
    } catch (error) {
      if (this.#closing.signal.aborted && error instanceof NoAnswerError) return;
      // It was changed meanwhile: look at it again.
      if (error instanceof GuardFailed) return;
      this.#pausedUntilMs.set(resourceId, performance.now() + FAULT_PAUSE_MS);
      this.#parts.logger.error({ err: error, resourceId, work }, "a resource could not be renewed or given back");
    }
  }

  #leave(resourceId: string): void {
    this.#working.delete(resourceId);
    if (!this.#moreIsDue) return;
    this.#moreIsDue = false;
    this.#sleeping.abort();
  }
}
