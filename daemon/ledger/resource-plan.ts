import { z } from "zod";
import { Period } from "../../shared/contract/common.ts";
import { ResourceType } from "../../shared/contract/runs.ts";
import { RecordedAmountFromZero } from "./recorded-amount.ts";

/**
 * What a run will do to resources, settled when it is accepted: a manifest that changes meanwhile changes nothing. Money
 * in integer micro-dollars.
 */
export const ResourcePlan = z.object({
  /** Makes one. The id is that of the resource that comes of it. */
  provisions: z
    .object({
      resourceId: z.string(),
      resource: z.string(),
      resourceType: ResourceType,
      displayName: z.string(),
      description: z.string().exactOptional(),
      /** Rent of the first period, which is part of the run's charge, and of each that follows. */
      rent: z
        .object({
          amountMicroDollars: RecordedAmountFromZero,
          /** Before markup. */
          costMicroDollars: RecordedAmountFromZero,
          period: Period,
        })
        .exactOptional(),
    })
    .exactOptional(),
  /** Ids of the resources that it ends. */
  releases: z.array(z.string()).exactOptional(),
});
export type ResourcePlan = z.infer<typeof ResourcePlan>;
