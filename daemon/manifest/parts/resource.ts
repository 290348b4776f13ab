import { z } from "zod";
import { ResourceType } from "../../../shared/contract/resource-type.ts";
import { ManifestPrice } from "../manifest-price.ts";
import { answerStatus, extractor, partName, Slug } from "./values.ts";
import { Call } from "./call.ts";

/** A lasting object at the provider; it has a cost per period if it has a price. */
export const Resource = z
  .strictObject({
    displayName: z.string().describe("Its name for people."),
    description: z.string().optional().describe("What it is, in a sentence."),
    /** The closest type of the contract; required when its name is not one of them. */
    type: ResourceType.optional().describe(
      "What of the known kinds it is nearest to; needed where its own name is none of them.",
    ),
    price: ManifestPrice.optional().describe("BY_PERIOD: what it costs while it exists, paid ahead."),
    verify: Call.extend({
      goneIf: z
        .array(answerStatus)
        .optional()
        .describe("Statuses that say that it is gone; 404 and 410 when left out."),
    })
      .optional()
      .describe("The call that looks whether it is still there; ${resource.id} is its id."),
    release: Call.extend({
      ok: z
        .array(answerStatus)
        .optional()
        .describe("Statuses after which it is given back; 2xx, 404 and 410 when left out."),
    })
      .optional()
      .describe("The call that gives it back."),
    data: z.record(partName, extractor).optional().describe("What is kept of it, read from the answer of verify."),
  })
  .meta({ id: "ManifestResource" });
export type Resource = z.infer<typeof Resource>;

/** `as`: which of its names the caller gives; default: the provider's id. */
const ResourceReference = z
  .strictObject({
    resource: Slug.describe("A name under resources."),
    id: extractor.describe("Where the caller names it, such as input:body.from."),
    as: z
      .enum(["externalId", "identifier"])
      .default("externalId")
      .describe("By which of its names the caller refers to it."),
  })
  .meta({ id: "ManifestResourceReference" });
export type ResourceReference = z.infer<typeof ResourceReference>;

/** What an endpoint does with resources. */
export const ResourceUse = z.strictObject({
  provisions: z
    .strictObject({
      resource: Slug.describe("A name under resources."),
      id: extractor.describe("Extractor of the provider's id of it."),
      identifier: extractor
        .optional()
        .describe("Extractor of the name that people know it by, such as a phone number."),
      data: z.record(partName, extractor).optional().describe("What is kept of it, read from the answer."),
    })
    .optional()
    .describe("A run makes one."),
  uses: z.array(ResourceReference).optional().describe("A run needs these."),
  updates: z.array(ResourceReference).optional().describe("A run changes these."),
  releases: z.array(ResourceReference).optional().describe("A run gives these back."),
});
