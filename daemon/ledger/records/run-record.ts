import { RecordedRunId, RecordedWorkspaceId } from "./recorded-ids.ts";
import { z } from "zod";
import { ErrorCode } from "../../../shared/contract/common.ts";
import { RunInput, RunPages, RunResourceEffect } from "../../../shared/contract/runs.ts";
import { runStatuses } from "../../../shared/run-status.ts";
import { RunApproval } from "./approval-records.ts";
import { PriceModel } from "../money/price-model.ts";
import { BudgetAlert, MetControl } from "./control-records.ts";
import { MetTogether } from "./met-controls.ts";
import { MarketRecord } from "./market-record.ts";
import { RunIdempotency } from "./idempotency-record.ts";
import { RecordedAmount } from "../money/recorded-amount.ts";
import { ResourcePlan } from "./resource-plan.ts";
import { AnsweredFrom, RunReuse } from "./reuse-record.ts";
import { RunSchedule } from "./schedule-records.ts";
import { RunRoute } from "./run-route.ts";

export { isTerminal } from "../../../shared/run-status.ts";

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
  /** Present when a route was asked for: provider and endpoint are then those of the member that was called. */
  route: RunRoute.exactOptional(),
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
  /** The most pages that it reads of a list; absent for an endpoint without pages. */
  maxPages: z.int().exactOptional(),
  /** The moment that decides in which windows of budgets and limits its hold and its charge count. */
  meteredAt: at.exactOptional(),
  /** The controls that it met; read with `controlsOf`, as lines of earlier versions have them in `controls`. */
  met: MetTogether.exactOptional(),
  controls: z.array(MetControl).exactOptional(),
  /** A person has to say yes before it may begin; absent: nobody has to. */
  approval: RunApproval.exactOptional(),
  /** Why it is BLOCKED. */
  reason: z.string().exactOptional(),
  /** Budgets that its charge brought to 50, 80 or 100 percent. */
  alerts: z.array(BudgetAlert).exactOptional(),
  idempotency: RunIdempotency.exactOptional(),
  tags: z.record(z.string(), z.string()).exactOptional(),
  /** The schedule that made it. */
  schedule: RunSchedule.exactOptional(),
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
  /** How far it read a list with pages. */
  pages: RunPages.exactOptional(),
  billedUnits: z.number().exactOptional(),
  billing: z.object({ calculated: RecordedAmount, actual: RecordedAmount, reported: RecordedAmount }).exactOptional(),
  overrunMicroDollars: RecordedAmount.exactOptional(),
  /** A quantity of its price could not be read, so only the flat part was charged. `notes` say which one. */
  unmeasured: z.literal(true).exactOptional(),
  error: z
    .object({
      source: z.string(),
      message: z.string(),
      errorCode: ErrorCode.exactOptional(),
      /** The command that sets up what was missing. */
      next: z.string().exactOptional(),
    })
    .exactOptional(),
  notes: z.array(z.string()),
  /** What it will do to resources of the workspace; absent: nothing. */
  resourcePlan: ResourcePlan.exactOptional(),
  /** What it did to resources of the workspace. */
  resources: z.array(RunResourceEffect).exactOptional(),
  providerMayHaveCharged: z.literal(true).exactOptional(),
  reuse: RunReuse.exactOptional(),
  /** Its answer is that of an earlier run, and its provider was not called. */
  answeredFrom: AnsweredFrom.exactOptional(),
  market: MarketRecord.exactOptional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/**
 * True for a run that ended in the line that made it known, so that no other line accepted it: a control refused it, or
 * it was answered at once from an earlier run.
 */
export function endedAtOnce({
  status,
  answeredFrom,
  approval,
}: Pick<RunRecord, "status" | "answeredFrom" | "approval">): boolean {
  return (status === "BLOCKED" && approval === undefined) || answeredFrom?.atOnce === true;
}
