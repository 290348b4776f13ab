import type { RunId } from "../base/ids.ts";
import { authoredHints } from "../catalog/public-cards.ts";
import type { WorkspaceCaller } from "../http/caller.ts";
import type { RunIdempotency } from "../ledger/idempotency-record.ts";
import type { ResourcePlan } from "../ledger/resource-plan.ts";
import type { AdmittedRun } from "./admission.ts";
import type { RunRecord } from "../ledger/run-record.ts";

export interface NewRunFacts {
  readonly runId: RunId;
  /** Id of the resource that the run makes, if it makes one. */
  readonly resourceId: string;
  /** Now, ISO 8601. */
  readonly at: string;
  readonly hasPlace: boolean;
  readonly idempotency: RunIdempotency | undefined;
}

/** The record of an admitted run: RUNNING if its provider has a free slot for it, else READY. */
export function newRun(
  caller: WorkspaceCaller,
  admitted: AdmittedRun,
  { runId, resourceId, at, hasPlace, idempotency }: NewRunFacts,
): RunRecord {
  const { entry } = admitted;
  const plan = planResources(admitted, resourceId);
  const hints = authoredHints(entry);
  return {
    runId,
    workspaceId: caller.workspaceId,
    caller: caller.actor,
    owner: caller.userId,
    ...(caller.key !== undefined && { keyId: caller.key.keyId, keyLabel: caller.key.label }),
    provider: entry.provider.provider,
    providerName: entry.provider.displayName,
    endpoint: entry.path,
    manifestHash: entry.provider.manifestHash,
    mode: entry.async === undefined ? "sync" : "async",
    status: hasPlace ? "RUNNING" : "READY",
    input: admitted.input,
    price: entry.price,
    priceWithoutMarkup: entry.priceWithoutMarkup,
    overrun: "operator",
    heldMicroDollars: admitted.maximumMicroDollars,
    ...(admitted.maxCostMicroDollars !== undefined && { maxCostMicroDollars: admitted.maxCostMicroDollars }),
    ...(idempotency !== undefined && { idempotency: { ...idempotency, ...(hints !== undefined && { hints }) } }),
    ...(admitted.tags !== undefined && { tags: { ...admitted.tags } }),
    ...(plan !== undefined && { resourcePlan: plan }),
    deadlineMs: admitted.deadlineMs,
    repeatable: entry.idempotent || entry.request.idempotency !== undefined,
    createdAt: at,
    ...(hasPlace && { startedAt: at }),
    attempts: [],
    output: null,
    resultCount: null,
    notes: [],
  };
}

function planResources({ entry, releases }: AdmittedRun, resourceId: string): ResourcePlan | undefined {
  const made = entry.resources?.provisions;
  if (made === undefined && releases.length === 0) return undefined;
  return {
    ...(made !== undefined && {
      provisions: {
        resourceId,
        resource: made.resource,
        resourceType: made.type,
        displayName: made.displayName,
        ...(made.description !== undefined && { description: made.description }),
        ...(made.rent !== undefined && { rent: { ...made.rent, period: { ...made.rent.period } } }),
      },
    }),
    ...(releases.length > 0 && { releases: [...releases] }),
  };
}
