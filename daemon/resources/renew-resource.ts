import { formatDollars, type MicroDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import { rent } from "../ledger/money/postings.ts";
import { isoNow } from "../base/clock.ts";
import { commitMade } from "../ledger/transaction/commit-made.ts";
import { budgetAlerts } from "../controls/budget-alerts.ts";
import { budgetEvents } from "../controls/budget-events.ts";
import { recordEvents } from "../ledger/transaction/record-events.ts";
import { logAlerts } from "../controls/log-alerts.ts";
import { NoAnswerError } from "../providers/protocol/provider.ts";
import { commitChange } from "./commit-change.ts";
import { endDuplicate } from "./end-duplicate.ts";
import type { KeeperParts } from "./keeper-parts.ts";
import { released, renewalFailed, renewed } from "./resource-lifecycle.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";

/** The balance does not cover the rent. */
class RentNotCovered extends Error {
  override readonly name = "RentNotCovered";
}

/**
 * Charges the rent of the next period after the provider has confirmed that the resource still exists. Rent and period
 * are one line, which is accepted only if the resource has not changed. So a period is charged once, whatever crashes
 * or clock changes happen. Rejects with `GuardFailed` if the resource has changed, and as `commit` does.
 */
export async function renewResource(parts: KeeperParts, resource: ResourceRecord): Promise<void> {
  if (await endDuplicate(parts, resource)) return;
  const life = await askWhetherAlive(parts, resource);
  const at = isoNow(parts.clock);
  const { resourceId, provider, workspaceId } = resource;
  if (life === "gone") {
    parts.logger.warn({ resourceId, provider, workspaceId }, "a resource is gone at its provider");
    const after = released(resource, at, { code: "GONE", reason: "The provider has it no longer" });
    return await commitChange(parts.store, { before: resource, after });
  }
  const failure = life === "alive" ? await charge(parts, resource, at) : { reason: life.unknown, unpaid: false };
  if (failure === undefined) return;
  const after = renewalFailed(resource, at, failure);
  await commitChange(parts.store, { before: resource, after });
  const { state } = after;
  parts.logger.warn({ resourceId, provider, workspaceId, state, reason: failure.reason }, "a rent was not charged");
}

type Life = "alive" | "gone" | { readonly unknown: string };

async function askWhetherAlive({ catalog, provider, signal }: KeeperParts, resource: ResourceRecord): Promise<Life> {
  const known = catalog.findResource(resource.provider, resource.resource);
  if (known === undefined) return { unknown: `${resource.provider} is no longer in the catalog` };
  try {
    const detail = await provider.verify(known, resource, { signal });
    if (detail === undefined || detail.success) return "alive";
    return detail.gone ? "gone" : { unknown: detail.message ?? `The provider answered ${detail.httpStatus}` };
  } catch (error) {
    if (!(error instanceof NoAnswerError) || signal.aborted) throw error;
    return { unknown: error.message };
  }
}

/** Why the rent was not charged; undefined when it was. */
async function charge(
  { store, unlimited, logger }: KeeperParts,
  resource: ResourceRecord,
  at: string,
): Promise<{ readonly reason: string; readonly unpaid: boolean } | undefined> {
  const { workspaceId, resourceId, revision } = resource;
  const amount = resource.renewal?.amountMicroDollars ?? NO_MONEY;
  const after = renewed(resource, at);
  try {
    const { alerts } = await commitMade(store, {
      of: { workspaceId },
      guards: [{ kind: "resourceRevision", resourceId, revision }],
      make(money) {
        if (!unlimited && amount > 0 && money.balance < amount) throw notCovered(amount, money.balance);
        // Rent counts in the windows of budgets, and setting the clock back must not reopen one.
        const meteredAt = money.meteredAt(at);
        const reached = budgetAlerts(money, { microDollars: amount, meteredAt, now: at });
        const line = {
          t: "resource.changed" as const,
          v: 1 as const,
          at: meteredAt,
          ws: workspaceId,
          resource: after,
          led: rent(workspaceId, amount),
          ...recordEvents(money, budgetEvents(reached, { resourceId, at: meteredAt })),
        };
        return { line, alerts: reached };
      },
    });
    logAlerts(logger, alerts, { resourceId, workspaceId });
    return undefined;
  } catch (error) {
    if (error instanceof RentNotCovered) return { reason: error.message, unpaid: true };
    throw error;
  }
}

function notCovered(amount: MicroDollars, balance: MicroDollars): RentNotCovered {
  return new RentNotCovered(`The wallet has ${formatDollars(balance)}, and the rent is ${formatDollars(amount)}`);
}
