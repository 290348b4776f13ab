import { z } from "zod";
import { Period } from "../../shared/contract/common.ts";
import { ResourceType } from "../../shared/contract/runs.ts";
import { RecordedAmount, RecordedAmountFromZero } from "./recorded-amount.ts";

const at = z.string();

export const ResourceEventRecord = z.object({
  eventId: z.string(),
  type: z.enum([
    "PROVISIONED",
    "RENEWED",
    "RENEW_FAILED",
    "SUSPENDED",
    "RESUMED",
    "RELEASE_REQUESTED",
    "RELEASE_WITHDRAWN",
    "RELEASE_FAILED",
    "RELEASED",
  ]),
  cycle: z.int().exactOptional(),
  amountMicroDollars: RecordedAmount.exactOptional(),
  reason: z.string().exactOptional(),
  at,
});
export type ResourceEventRecord = z.infer<typeof ResourceEventRecord>;

/** A durable thing that a run made at a provider; owned by the workspace. docs/contract.md, "Life of a resource". */
export const ResourceRecord = z.object({
  /** ULID. */
  resourceId: z.string(),
  /** Grows with every change: a line that was written from an older one is refused. */
  revision: z.int().positive(),
  workspaceId: z.string(),
  provider: z.string(),
  providerName: z.string(),
  /** Its name in the manifest's `resources`. */
  resource: z.string(),
  resourceType: ResourceType,
  displayName: z.string(),
  description: z.string().exactOptional(),
  externalId: z.string(),
  identifier: z.string(),
  /** What the manifest reads from the provider's answers. */
  data: z.record(z.string(), z.unknown()),
  state: z.enum(["READY", "PROVISIONING", "ACTIVE", "EXPIRING", "SUSPENDED", "RELEASED", "PROVISION_FAILED"]),
  /** The run that made it. */
  runId: z.string(),
  /** User id that is billed. */
  owner: z.string(),
  provisionedBy: z.string(),
  releasedBy: z.string().exactOptional(),
  /** Rent that is paid ahead per period; absent: costs nothing while it stays. */
  renewal: z
    .object({
      amountMicroDollars: RecordedAmountFromZero,
      period: Period,
      startedAt: at,
      currentPeriodStart: at,
      currentPeriodEnd: at,
      /** When the next period is charged, or after a failure tried again. */
      renewAttemptAt: at,
      /** Number of the period that is paid, the first is 1; periods that nobody paid are left out. */
      cycle: z.int().positive(),
      lastAttempt: z
        .object({
          at,
          outcome: z.enum(["SUCCEEDED", "FAILED"]),
          reason: z.string().exactOptional(),
          /** It failed for want of money alone. */
          unpaid: z.literal(true).exactOptional(),
        })
        .exactOptional(),
      /** Since when it is over and not paid for want of money: the grace counts from here. */
      unpaidSince: at.exactOptional(),
      cancelledAt: at.exactOptional(),
    })
    .exactOptional(),
  /** Set while EXPIRING: when it may be given back at the provider, and when that is tried next. */
  release: z.object({ dueAt: at, attemptAt: at }).exactOptional(),
  createdAt: at,
  updatedAt: at,
  releasedAt: at.exactOptional(),
  releaseReasonCode: z.string().exactOptional(),
  releaseReason: z.string().exactOptional(),
  /** Oldest first; of very many the first and the newest are kept. */
  events: z.array(ResourceEventRecord),
});
export type ResourceRecord = z.infer<typeof ResourceRecord>;

/** What a thing is at its provider: one thing has one of these, whoever asks for it. docs/contract.md, "One thing". */
export type ProviderId = Pick<ResourceRecord, "provider" | "resource" | "externalId">;

/** Whether its provider has it, as far as is known. */
export function isLive({ state }: Pick<ResourceRecord, "state">): boolean {
  return state !== "RELEASED" && state !== "PROVISION_FAILED";
}
