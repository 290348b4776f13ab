import { RecordedRunId, RecordedWorkspaceId } from "./recorded-ids.ts";
import { z } from "zod";
import { Period } from "../../../shared/contract/common.ts";
import { ResourceType } from "../../../shared/contract/resource-type.ts";
import { RecordedAmount, RecordedAmountFromZero } from "../money/recorded-amount.ts";

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
  /** Grows with every change; a line that is based on an older revision is refused. */
  revision: z.int().positive(),
  workspaceId: RecordedWorkspaceId,
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
  runId: RecordedRunId,
  /** User id that is billed. */
  owner: z.string(),
  provisionedBy: z.string(),
  releasedBy: z.string().exactOptional(),
  /** Rent that is paid in advance for each period; absent: keeping the resource costs nothing. */
  renewal: z
    .object({
      amountMicroDollars: RecordedAmountFromZero,
      period: Period,
      startedAt: at,
      currentPeriodStart: at,
      currentPeriodEnd: at,
      /** When the next period is charged, or the charge is tried again after a failure. */
      renewAttemptAt: at,
      /** Number of the last paid period, from 1; unpaid periods are skipped. */
      cycle: z.int().positive(),
      lastAttempt: z
        .object({
          at,
          outcome: z.enum(["SUCCEEDED", "FAILED"]),
          reason: z.string().exactOptional(),
          /** The only reason for the failure was a lack of money. */
          unpaid: z.literal(true).exactOptional(),
        })
        .exactOptional(),
      /** Start of the grace: since when the paid period is over and money is lacking. */
      unpaidSince: at.exactOptional(),
      cancelledAt: at.exactOptional(),
    })
    .exactOptional(),
  /** Set while EXPIRING: when it may be released at the provider, and when that is tried next. */
  release: z.object({ dueAt: at, attemptAt: at }).exactOptional(),
  createdAt: at,
  updatedAt: at,
  releasedAt: at.exactOptional(),
  releaseReasonCode: z.string().exactOptional(),
  releaseReason: z.string().exactOptional(),
  /** Oldest first. If there are very many, only the first and the newest are kept. */
  events: z.array(ResourceEventRecord),
});
export type ResourceRecord = z.infer<typeof ResourceRecord>;

/** Identifies a resource at its provider, whichever workspace asks for it. docs/contract.md, "One thing". */
export type ProviderId = Pick<ResourceRecord, "provider" | "resource" | "externalId">;

/** Whether it exists at its provider, as far as is known. */
export function isLive({ state }: Pick<ResourceRecord, "state">): boolean {
  return state !== "RELEASED" && state !== "PROVISION_FAILED";
}
