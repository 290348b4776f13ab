import { setTimeout as delay } from "node:timers/promises";
import { balanceAccount } from "../ledger/postings.ts";
import { isoNow } from "../base/clock.ts";
import { GuardFailed } from "../ledger/commit-errors.ts";
import { NoAnswerError } from "../providers/protocol/provider.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { giveBackResource } from "./give-back-resource.ts";
import type { KeeperParts } from "./keeper-parts.ts";
import { renewResource } from "./renew-resource.ts";
import { dueWork, waitsForMoney } from "./resource-lifecycle.ts";
import type { ResourceRecord } from "../ledger/resource-record.ts";

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
  const { store, clock, logger, unlimited } = parts;
  const closing = new AbortController();
  /** Resources being processed: one call at a time for each. */
  const working = new Map<string, Promise<void>>();
  const pausedUntilMs = new Map<string, number>();
  /** True: more work is due and waits for one of these to finish. */
  let moreIsDue = false;
  let sleeping = new AbortController();
  let looping: Promise<void> | undefined;

  async function isDue(resource: ResourceRecord): Promise<"renew" | "giveBack" | undefined> {
    const work = dueWork(resource, isoNow(clock));
    if (work !== undefined || !waitsForMoney(resource)) return work;
    const [balance = 0] = await store.readAccounts([balanceAccount(resource.workspaceId)]);
    return unlimited || balance >= (resource.renewal?.amountMicroDollars ?? 0) ? "renew" : undefined;
  }

  async function workOn(resource: ResourceRecord, work: "renew" | "giveBack"): Promise<void> {
    const keeper = { ...parts, signal: closing.signal };
    try {
      await (work === "renew" ? renewResource(keeper, resource) : giveBackResource(keeper, resource));
      pausedUntilMs.delete(resource.resourceId);
    } catch (error) {
      if (closing.signal.aborted && error instanceof NoAnswerError) return;
      // It was changed meanwhile: look at it again.
      if (error instanceof GuardFailed) return;
      pausedUntilMs.set(resource.resourceId, performance.now() + FAULT_PAUSE_MS);
      logger.error({ err: error, resourceId: resource.resourceId, work }, "a resource could not be looked after");
    }
  }

  /** Begins what is due, as far as there is room; false when some of it has to wait for room. */
  async function begin(): Promise<boolean> {
    for (const resource of await store.listLiveResources()) {
      const { resourceId } = resource;
      if (working.has(resourceId) || (pausedUntilMs.get(resourceId) ?? 0) > performance.now()) continue;
      const work = await isDue(resource);
      if (work === undefined || closing.signal.aborted) continue;
      if (working.size >= MOST_AT_ONCE) return false;
      working.set(
        resourceId,
        workOn(resource, work).finally(() => leave(resourceId)),
      );
    }
    return true;
  }

  function leave(resourceId: string): void {
    working.delete(resourceId);
    if (!moreIsDue) return;
    moreIsDue = false;
    sleeping.abort();
  }

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      sleeping = new AbortController();
      const { signal } = sleeping;
      try {
        moreIsDue = !(await begin());
      } catch (error) {
        logger.error({ err: error }, "resources could not be looked after");
      }
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return {
    start() {
      looping ??= loop();
    },
    wake: () => sleeping.abort(),
    async tick() {
      while (!(await begin())) await Promise.all(working.values());
      await Promise.all(working.values());
    },
    async close() {
      closing.abort();
      sleeping.abort();
      await looping;
      await Promise.all(working.values());
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
