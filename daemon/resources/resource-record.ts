import { z } from "zod";
import { Period } from "../../shared/contract/common.ts";

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
    "RELEASE_FAILED",
    "RELEASED",
  ]),
  cycle: z.int().exactOptional(),
  amountMicroDollars: z.int().exactOptional(),
  reason: z.string().exactOptional(),
  at,
});
export type ResourceEventRecord = z.infer<typeof ResourceEventRecord>;

/** A durable thing that a run made at a provider; owned by the workspace. Contract semantics, 12. */
export const ResourceRecord = z.object({
  /** ULID. */
  resourceId: z.string(),
  workspaceId: z.string(),
  provider: z.string(),
  providerName: z.string(),
  /** Its name in the manifest's `resources`. */
  resource: z.string(),
  resourceType: z.string(),
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
      amountMicroDollars: z.int().nonnegative(),
      period: Period,
      startedAt: at,
      currentPeriodStart: at,
      currentPeriodEnd: at,
      renewAttemptAt: at,
      cycle: z.int().positive(),
      lastAttempt: z
        .object({ at, outcome: z.enum(["SUCCEEDED", "FAILED"]), reason: z.string().exactOptional() })
        .exactOptional(),
      cancelledAt: at.exactOptional(),
    })
    .exactOptional(),
  createdAt: at,
  updatedAt: at,
  releasedAt: at.exactOptional(),
  releaseReasonCode: z.string().exactOptional(),
  releaseReason: z.string().exactOptional(),
  /** Oldest first. */
  events: z.array(ResourceEventRecord),
});
export type ResourceRecord = z.infer<typeof ResourceRecord>;
