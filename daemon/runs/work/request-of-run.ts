import type { RunId } from "../../base/ids.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import { NoAnswerError, type ProviderRequest } from "../../providers/protocol/provider.ts";
import { approvedAccount } from "./approved-account.ts";
import { termsOf } from "../market/market-desk.ts";
import { limitsOf } from "../admission/page-limits.ts";

/**
 * What a run asks of its provider. `entry`: the version that it calls; without one it has left the catalog, and this throws
 * NoAnswerError, as for an approved run whose account is missing.
 */
export function requestOfRun(run: RunRecord, entry: CatalogEntry | undefined): ProviderRequest {
  if (entry === undefined) {
    throw new NoAnswerError(`${run.provider}${run.endpoint} is no longer in the catalog`, {
      source: "mkt",
      maybeExecuted: run.status !== "READY",
      attempts: [],
    });
  }
  const { workspaceId, input, route } = run;
  const reading = limitsOf(run, entry);
  const market = termsOf(run, entry);
  const account = approvedAccount(run, entry);
  return {
    runId: callId(run),
    workspaceId,
    entry,
    input,
    ...(reading !== undefined && { reading }),
    ...(market !== undefined && { market }),
    ...(account !== undefined && { account }),
    ...(route !== undefined && { asMember: { hasNext: route.next.length > 0 } }),
  };
}

/** A provider's idempotency key must not join the calls of two members, which may be of one provider. */
function callId({ runId, route }: RunRecord): RunId {
  const turns = route?.left.length ?? 0;
  return turns === 0 ? runId : `${runId}-${turns + 1}`;
}
