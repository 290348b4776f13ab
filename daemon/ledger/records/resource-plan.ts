import { z } from "zod";
import { Period } from "../../../shared/contract/common.ts";
import { ResourceType } from "../../../shared/contract/resource-type.ts";
import { RecordedAmountFromZero } from "../money/recorded-amount.ts";

/**
 * What a run will do to resources. It is fixed at acceptance, so later changes of the manifest have no effect. Money in
 * integer micro-dollars.
 */
export const ResourcePlan = z.object({
  /** The run makes a resource, which will get this id. */
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
