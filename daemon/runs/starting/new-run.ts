import type { RunId } from "../../base/ids.ts";
import { authoredHints } from "../../catalog/public-cards.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { RunIdempotency } from "../../ledger/records/idempotency-record.ts";
import type { RunReuse } from "../../ledger/records/reuse-record.ts";
import type { ResourcePlan } from "../../ledger/records/resource-plan.ts";
import type { RunSchedule } from "../../ledger/records/schedule-records.ts";
import type { AdmittedRun } from "../admission/admission.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

export interface NewRunFacts {
  readonly runId: RunId;
  /** Gives the id of the resource that the run makes, if it makes one. */
  readonly newResourceId: () => string;
  /** Now, ISO 8601. */
  readonly at: string;
  readonly hasPlace: boolean;
  readonly idempotency: RunIdempotency | undefined;
  readonly reuse: RunReuse | undefined;
  /** The schedule that makes it. */
  readonly schedule?: RunSchedule | undefined;
}

/** The record of an admitted run: RUNNING if its provider has a free slot for it, else READY. */
export function newRun(
  caller: WorkspaceCaller,
  admitted: AdmittedRun,
  { runId, newResourceId, at, hasPlace, idempotency, reuse, schedule }: NewRunFacts,
): RunRecord {
  const { entry } = admitted;
  const plan = planResources(admitted, newResourceId);
  const { route } = admitted;
  const asked = route?.entry ?? entry;
  const hints = authoredHints(asked);
  return {
    runId,
    workspaceId: caller.workspaceId,
    caller: caller.actor,
    owner: caller.userId,
    ...(caller.key !== undefined && { keyId: caller.key.keyId, keyLabel: caller.key.label }),
    provider: entry.provider.provider,
    providerName: entry.provider.displayName,
    endpoint: entry.path,
    ...(route !== undefined && { route: route.record }),
    manifestHash: entry.provider.manifestHash,
    mode: asked.async === undefined ? "sync" : "async",
    status: hasPlace ? "RUNNING" : "READY",
    input: admitted.input,
    price: entry.price,
    priceWithoutMarkup: entry.priceWithoutMarkup,
    overrun: "operator",
    heldMicroDollars: admitted.maximumMicroDollars,
    ...(admitted.maxCostMicroDollars !== undefined && { maxCostMicroDollars: admitted.maxCostMicroDollars }),
    ...(admitted.maxPages !== undefined && { maxPages: admitted.maxPages }),
    ...(idempotency !== undefined && { idempotency: { ...idempotency, ...(hints !== undefined && { hints }) } }),
    ...(admitted.tags !== undefined && { tags: { ...admitted.tags } }),
    ...(reuse !== undefined && { reuse }),
    ...(schedule !== undefined && { schedule }),
    ...(plan !== undefined && { resourcePlan: plan }),
    ...(admitted.market !== undefined && { market: admitted.market }),
    deadlineMs: admitted.deadlineMs,
    repeatable: entry.idempotent || entry.request.idempotency !== undefined,
    createdAt: at,
    ...(hasPlace && { startedAt: at }),
    attempts: [],
    output: null,
    resultCount: null,
    notes: [...(admitted.notes ?? [])],
  };
}

function planResources({ entry, releases }: AdmittedRun, newResourceId: () => string): ResourcePlan | undefined {
  const made = entry.resources?.provisions;
  if (made === undefined && releases.length === 0) return undefined;
  return {
    ...(made !== undefined && {
      provisions: {
        resourceId: newResourceId(),
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
