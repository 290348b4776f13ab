import type { Quote, QuoteRefusal } from "../../../shared/contract/quote.ts";
import type { RunRequest } from "../../../shared/contract/runs.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import type { ChargedRule } from "../../billing/charge.ts";
import { toRunPrice } from "../../billing/public-price.ts";
import { ruleFor } from "../../approvals/needed-approval.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { RunRoute } from "../../ledger/records/run-route.ts";
import type { ResourceStore } from "../../ledger/stores/resource-store.ts";
import type { AccountStore } from "../../ledger/stores/account-store.ts";
import type { AccountLookup } from "./account-lookup.ts";
import type { AdmissionFacts, AdmissionParts, AdmittedRun } from "./admission.ts";
import { admitRun } from "./admit-run.ts";
import { askMoneyGates, type MoneyRefusal } from "./money-gates.ts";

export interface QuoteParts {
  readonly catalog: Catalog;
  readonly store: Pick<AccountStore, "readMoney"> & Pick<ResourceStore, "listLiveResourcesOf" | "findHolder">;
  readonly clock: Clock;
  readonly accounts?: AccountLookup;
  readonly unlimited: boolean;
  readonly markets?: NonNullable<AdmissionParts["markets"]>;
  readonly figures?: NonNullable<AdmissionParts["figures"]>;
  readonly knownRefusals?: NonNullable<AdmissionParts["knownRefusals"]>;
}

/** Prices a run by sending it through the gates. Throws what they throw, except that refusals for money are listed. */
export async function quoteRun(
  { catalog, store, clock, accounts, unlimited, markets, figures, knownRefusals }: QuoteParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  facts: AdmissionFacts = {},
): Promise<Quote> {
  const more = {
    ...(accounts && { accounts }),
    ...(markets && { markets }),
    ...(figures && { figures }),
    ...(knownRefusals && { knownRefusals }),
  };
  const admitted = await admitRun({ catalog, store, clock, ...more }, caller, request, facts);
  const { entry, estimateMicroDollars, maximumMicroDollars } = admitted;
  if (admitted.isUnpriced) throw unpriced(admitted);
  const money = await store.readMoney({ workspaceId: caller.workspaceId, keyId: caller.key?.keyId });
  const { refusals } = askMoneyGates(money, {
    required: maximumMicroDollars,
    maxCost: admitted.maxCostMicroDollars,
    unlimited,
    at: money.meteredAt(isoNow(clock)),
  });
  const rule = ruleFor(money, {
    caller: caller.actor,
    ...(caller.key !== undefined && { keyId: caller.key.keyId }),
    heldMicroDollars: maximumMicroDollars,
  });
  const asked = admitted.route?.entry ?? entry;
  return {
    provider: asked.provider.provider,
    endpoint: asked.path,
    price: toRunPrice(entry.price),
    estimate: toMoney(estimateMicroDollars),
    maximum: toMoney(maximumMicroDollars),
    ...(admitted.maxPages !== undefined && { maxPages: admitted.maxPages }),
    rule: describeRules(admitted.rules),
    wouldBlock: refusals.flatMap(toQuoteRefusal),
    ...(rule !== undefined && { approvalAbove: toMoney(rule.limitMicroDollars) }),
    ...(admitted.route !== undefined && { route: toQuotedRoute(admitted, admitted.route.record) }),
  };
}

/** A quote of nothing would be a promise that nobody made. A run is asked for all the same, and tells what the market says. */
function unpriced({ entry, market }: AdmittedRun): ApiError {
  const message = `${market?.host} gave no price for ${entry.provider.provider}${entry.path}, so what a run costs is not known now`;
  return new ApiError("unavailable", message, { retryAfterSeconds: MARKET_RETRY_SECONDS });
}

const MARKET_RETRY_SECONDS = 30;

/** In the order in which they would be tried; the first is the likely one, and the dearest decides the hold. */
function toQuotedRoute({ entry }: AdmittedRun, route: RunRoute): Quote["route"] {
  const first = {
    ...route.first,
    maximumMicroDollars: route.maximumMicroDollars,
    providerName: entry.provider.displayName,
  };
  return {
    members: [first, ...route.next].map(({ provider, providerName, endpoint, price, maximumMicroDollars }) => ({
      provider,
      providerName,
      endpoint,
      price: toRunPrice(price),
      maximum: toMoney(maximumMicroDollars),
    })),
    passedOver: route.passedOver.map((one) => ({ ...one })),
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

/** Nothing that is quoted is run by a schedule. */
function toQuoteRefusal(refusal: MoneyRefusal): QuoteRefusal[] {
  if (refusal.kind === "schedule") return [];
  const quoted = {
    kind: refusal.kind,
    ...("controlId" in refusal && { controlId: refusal.controlId }),
    available: toMoney(refusal.available),
  };
  return [quoted];
}
