import type { RunAtMarket } from "../../shared/contract/run-at-market.ts";
import { dollars } from "../../shared/words/money-words.ts";

/** Where to ask about a run at another market, which knows it by another id. */
export function marketWords({ host, runId, status, cost }: RunAtMarket): string {
  const there = runId === undefined ? "" : `, run ${runId}${status === undefined ? "" : ` (${status})`}`;
  return `${host}${there}${cost === undefined ? "" : `: ${dollars(cost.value)}`}`;
}
