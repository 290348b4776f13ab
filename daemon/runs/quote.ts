import type { Quote, QuoteRefusal } from "../../shared/contract/quote.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import type { ChargedRule } from "../billing/charge.ts";
import { toRunPrice } from "../billing/public-price.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceCaller } from "../http/caller.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { admit } from "./admission.ts";
import { askMoneyGates, type MoneyRefusal } from "./money-gates.ts";

export interface QuoteParts {
  readonly catalog: Catalog;
  readonly store: Pick<AccountStore, "readMoney"> & Pick<ResourceStore, "listResources" | "findHolder">;
  readonly clock: Clock;
  readonly unlimited: boolean;
}

/** Prices a run by sending it through the gates. Throws what they throw, except that refusals for money are listed. */
export async function quoteRun(
  { catalog, store, clock, unlimited }: QuoteParts,
  caller: WorkspaceCaller,
  request: RunRequest,
): Promise<Quote> {
  const admitted = await admit({ catalog, store, clock }, caller, request);
  const { entry, estimateMicroDollars, maximumMicroDollars } = admitted;
  const money = await store.readMoney({ workspaceId: caller.workspaceId, keyId: caller.key?.keyId });
  const { refusals } = askMoneyGates(money, {
    required: maximumMicroDollars,
    maxCost: admitted.maxCostMicroDollars,
    unlimited,
    at: money.meteredAt(isoNow(clock)),
  });
  return {
    provider: entry.provider.provider,
    endpoint: entry.path,
    price: toRunPrice(entry.price),
    estimate: toMoney(estimateMicroDollars),
    maximum: toMoney(maximumMicroDollars),
    rule: describeRules(admitted.rules),
    wouldBlock: refusals.map(toQuoteRefusal),
  };
}

/** `quantity` is given only for a single rule: quantities of several rules cannot be added up. */
function describeRules(rules: readonly ChargedRule[]): Quote["rule"] {
  const labels = rules.flatMap(({ label }) => label ?? []);
  const [quantity, ...others] = rules.flatMap((rule) => rule.quantity ?? []);
  return {
    ...(labels.length > 0 && { label: labels.join(" + ") }),
    ...(quantity !== undefined && others.length === 0 && { quantity }),
  };
}

function toQuoteRefusal(refusal: MoneyRefusal): QuoteRefusal {
  return {
    kind: refusal.kind,
    ...("controlId" in refusal && { controlId: refusal.controlId }),
    available: toMoney(refusal.available),
  };
}
