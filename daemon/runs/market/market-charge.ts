import { type MicroDollars, microDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { markUpCost } from "../../billing/market-cost.ts";
import type { Charge } from "../../billing/charge.ts";
import type { MarketRecord } from "../../ledger/records/market-record.ts";
import type { ProviderAnswer, RemoteRun } from "../../providers/protocol/provider.ts";

export interface MarketCharge extends Charge {
  /** What the market charged. */
  readonly costMicroDollars: MicroDollars;
}

/**
 * The charge of a run by what its market reports; undefined for one that has a price of its own. A cost that cannot be
 * read is charged to nobody, and a note says so, as with anything that could not be measured.
 */
export function chargeOfMarket(
  market: MarketRecord | undefined,
  { remote, billedUnits }: Pick<ProviderAnswer, "remote" | "billedUnits">,
): MarketCharge | undefined {
  if (market?.markupPercent === undefined) return undefined;
  const cost = remote?.costMicroDollars;
  if (cost === undefined) {
    const notes = [`What the run cost at ${market.host} could not be read in USD; nothing was charged for it here.`];
    return { calculatedMicroDollars: NO_MONEY, costMicroDollars: NO_MONEY, notes, rules: [] };
  }
  return {
    calculatedMicroDollars: markUpCost(cost, market.markupPercent),
    costMicroDollars: microDollars(cost),
    ...(billedUnits !== undefined && { billedUnits }),
    notes: [],
    rules: [],
  };
}

/** What a run's record keeps of the run at the market. */
export function withRemote<Run extends { readonly market?: MarketRecord }>(
  run: Run,
  remote: RemoteRun | undefined,
): Run {
  if (run.market === undefined || remote === undefined) return run;
  const { runId, status, costMicroDollars } = remote;
  const cost = costMicroDollars === undefined ? {} : { cost: microDollars(costMicroDollars) };
  return { ...run, market: { ...run.market, run: { runId, status, ...cost } } };
}

/** What a market charged beyond what it was allowed: its fault, and the operator's loss. */
export function overchargeNotes(market: MarketRecord | undefined, remote: RemoteRun | undefined): readonly string[] {
  const cost = remote?.costMicroDollars ?? 0;
  if (market?.maximum === undefined || cost <= market.maximum) return [];
  return [
    `${market.host} reports a cost of ${cost} micro-dollars, above the ${market.maximum} that it was allowed; the operator bears what is above the hold.`,
  ];
}
