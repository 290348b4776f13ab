import { RecordedRunId, RecordedWorkspaceId } from "./recorded-ids.ts";
import { z } from "zod";
import { RunInput, RunResourceEffect } from "../../shared/contract/runs.ts";
import { runStatuses } from "../../shared/run-status.ts";
import { PriceModel } from "./price-model.ts";
import { BudgetAlert, MetControl } from "./control-records.ts";
import { MetTogether } from "./met-controls.ts";
import { RunIdempotency } from "./idempotency-record.ts";
import { RecordedAmount } from "./recorded-amount.ts";
import { ResourcePlan } from "./resource-plan.ts";

export { isTerminal } from "../../shared/run-status.ts";

const at = z.string();

export const AttemptRecord = z.object({
  at,
  durationMs: z.number(),
  httpStatus: z.int().exactOptional(),
  error: z.string().exactOptional(),
});

/** A vendor job under way; plain data, so that it survives a restart. */
export const JobRecord = z.object({
  kind: z.literal("job"),
  externalId: z.string(),
  state: z.record(z.string(), z.string()),
  progress: z.union([z.string(), z.number()]).exactOptional(),
  progressUnit: z.string().exactOptional(),
  pollAfterMs: z.number(),
  polls: z.int(),
  attempts: z.array(AttemptRecord),
});

/**
 * A run as the journal holds it: everything that GET needs, money in integer micro-dollars. READY means accepted and not
 * yet handed to the provider; from RUNNING on the provider may have been called.
 */
export const RunRecord = z.object({
  runId: RecordedRunId,
  workspaceId: RecordedWorkspaceId,
  /** Prefixed actor, for example `API_KEY#<fingerprint>`. */
  caller: z.string(),
  /** User id that is billed. */
  owner: z.string(),
  keyId: z.string().exactOptional(),
  keyLabel: z.string().exactOptional(),
  provider: z.string(),
  providerName: z.string(),
  endpoint: z.string(),
  /** Hash of the manifest it was priced under (docs/manifest.md, "Versions"). */
  manifestHash: z.string(),
  mode: z.enum(["sync", "async"]),
  status: z.enum(runStatuses),
  /** Composite form. */
  input: RunInput,
  /** The price that callers see and pay, and the same before markup (what the operator bears). */
  price: PriceModel,
  priceWithoutMarkup: PriceModel,
  /** Has no effect: no run is charged more than its hold. Older runs have either value, new ones always the first. */
  overrun: z.enum(["operator", "caller"]),
  heldMicroDollars: RecordedAmount,
  maxCostMicroDollars: RecordedAmount.exactOptional(),
  /** The moment that decides in which windows of budgets and limits its hold and its charge count. */
  meteredAt: at.exactOptional(),
  /** The controls that it met; read with `controlsOf`, as lines of earlier versions have them in `controls`. */
  met: MetTogether.exactOptional(),
  controls: z.array(MetControl).exactOptional(),
  /** Why it is BLOCKED. */
  reason: z.string().exactOptional(),
  /** Budgets that its charge brought to 50, 80 or 100 percent. */
  alerts: z.array(BudgetAlert).exactOptional(),
  idempotency: RunIdempotency.exactOptional(),
  tags: z.record(z.string(), z.string()).exactOptional(),
  /** Milliseconds from `createdAt` within which the run ends. */
  deadlineMs: z.int(),
  /** True when the vendor call may be repeated after a crash (docs/manifest.md, "Repeats"). */
  repeatable: z.boolean(),
  createdAt: at,
  startedAt: at.exactOptional(),
  stopRequestedAt: at.exactOptional(),
  completedAt: at.exactOptional(),
  job: JobRecord.exactOptional(),
  attempts: z.array(AttemptRecord),
  output: z.unknown(),
  /** Retention removed the output at this time; everything else is kept. */
  outputRemovedAt: at.exactOptional(),
  providerResponse: z
    .object({
      httpStatus: z.int(),
      error: z.object({ status: z.int(), message: z.string(), body: z.unknown().optional() }).exactOptional(),
    })
    .exactOptional(),
  resultCount: z.number().nullable(),
  billedUnits: z.number().exactOptional(),
  billing: z.object({ calculated: RecordedAmount, actual: RecordedAmount, reported: RecordedAmount }).exactOptional(),
  overrunMicroDollars: RecordedAmount.exactOptional(),
  /** A quantity of its price could not be read, so only the flat part was charged. `notes` say which one. */
  unmeasured: z.literal(true).exactOptional(),
  error: z.object({ source: z.string(), message: z.string() }).exactOptional(),
  notes: z.array(z.string()),
  /** What it will do to resources of the workspace; absent: nothing. */
  resourcePlan: ResourcePlan.exactOptional(),
  /** What it did to resources of the workspace. */
  resources: z.array(RunResourceEffect).exactOptional(),
  providerMayHaveCharged: z.literal(true).exactOptional(),
});
export type RunRecord = z.infer<typeof RunRecord>;
