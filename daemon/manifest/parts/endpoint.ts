import { z } from "zod";
import { HintTarget } from "../../../shared/contract/hints.ts";
import { ManifestPrice } from "../manifest-price.ts";
import { categoryPath, jsonSchema, quantity, webUrl } from "./values.ts";
import { Http } from "./http.ts";
import { EndpointCall } from "./call.ts";
import { ErrorRule } from "./error-rule.ts";
import { Usage } from "./usage.ts";
import { Async } from "./async.ts";
import { Pages } from "./pages.ts";
import { Covers } from "./covers.ts";
import { Example } from "./example.ts";
import { ResourceUse } from "./resource.ts";

/** A step as answers have it; other members are not allowed here. */
const { kind, command, query, provider, endpoint, runId, resourceId, comment } = HintTarget.shape;
const HintStep = z
  .strictObject({
    kind: kind.describe("What to do next."),
    command: command.describe("The command line, for kind command."),
    query: query.describe("What to look for, for kind discover."),
    provider: provider.describe("This provider when left out."),
    endpoint: endpoint.describe("Public path of the endpoint."),
    runId: runId.describe("The run that it is about; left out: the run whose answer has the hint."),
    resourceId: resourceId.describe("The resource that it is about; left out: what the run has made."),
    comment: comment.describe("Why, in a few words."),
  })
  .meta({ id: "ManifestHint" });

/** Where the provider publishes the prices of calls. Shown in inspect. */
export const PriceSource = z
  .strictObject({
    url: webUrl.describe("The page of the provider."),
    date: z.iso.date().describe("When the price was read there, such as 2026-11-22."),
  })
  .meta({ id: "ManifestPriceSource" });

export const ManifestEndpoint = z
  .strictObject({
    displayName: z.string().optional().describe("Name for people; the path when left out."),
    description: z.string().default("").describe("What it answers, written to be found: what goes in, what comes out."),
    docUrl: webUrl.optional().describe("The page of the provider's documentation."),
    tags: z.array(z.string()).optional().describe("Words to browse by; in place of those of the provider."),
    categories: z
      .array(categoryPath)
      .optional()
      .describe("Places in the category tree, top/leaf; in place of those of the provider."),
    notes: z.array(z.string()).optional().describe("What a caller should know; in place of those of the provider."),
    covers: Covers.optional().describe("What it has data about; member by member over that of the provider."),
    asks: z
      .array(z.string())
      .default([])
      .describe(
        "Needs that it serves, in the words of people who do not know it; searched, and three are shown in inspect.",
      ),
    hints: z
      .record(z.string(), z.union([z.string(), HintStep]))
      .optional()
      .describe("Next steps, by what they are good for."),
    enabled: z.boolean().default(true).describe("false: not served."),
    disabledReason: z
      .string()
      .optional()
      .describe("With enabled: false: the reason, for readers of the file and for mkt catalog check."),
    deprecated: z.string().optional().describe("Why, and what to use in its place."),
    verified: z.boolean().default(true).describe("false: authored from documentation and not yet tried live."),
    idempotent: z.boolean().default(false).describe("The call may be repeated without harm."),
    reuse: z
      .strictObject({
        maxAgeSeconds: z
          .int()
          .min(1)
          .max(31_536_000)
          .describe("The oldest answer, in seconds since it was given, that a run with maxAge may get."),
      })
      .optional()
      .describe("Runs with maxAge may be answered from an earlier run with the same input; left out: never."),
    overrun: z
      .union([
        z.literal("operator"),
        z.strictObject({
          caller: quantity.describe(
            "The most results or units that the caller pays for, counted as usage.estimate.max counts them: an input, a number, or a list that is multiplied. It is quoted and held in place of usage.estimate.max.",
          ),
        }),
        // For files from before bounds existed: read as `operator`, see `checkOverrun`.
        z.literal("caller").meta({ deprecated: true }),
      ])
      .default("operator")
      .describe(
        "Who bears what a run costs above its estimate. Nobody is charged more than was held: the operator bears the rest, or the caller up to a bound.",
      ),
    request: EndpointCall.describe("The vendor call."),
    input: z
      .strictObject({
        pathParams: jsonSchema.optional().describe("JSON Schema (2020-12) of the parameters in the path."),
        queryParams: jsonSchema
          .optional()
          .describe("JSON Schema (2020-12) of the query parameters, and of those that headers carry."),
        body: jsonSchema.optional().describe("JSON Schema (2020-12) of the body's fields."),
      })
      .default({})
      .describe("The input from callers; the section says where it goes. Nothing else is accepted."),
    output: z
      .strictObject({
        select: z.string().optional().describe("Path of the part that is the output, such as $.items."),
        omit: z
          .array(z.string())
          .optional()
          .describe(
            "Left out: places of the whole answer ($.meta), or fields of the output and of its items (raw.html).",
          ),
        media: z
          .enum(["auto", "json", "text", "base64", "csv", "ndjson"])
          .default("auto")
          .describe(
            "How the answer is read; auto goes by its content type. Bytes become base64; csv and ndjson a list of rows.",
          ),
        delimiter: z
          .string()
          .length(1)
          .optional()
          .describe("With media csv: the character between the values of a line; a comma when left out."),
        schema: jsonSchema.optional().describe("JSON Schema of the output, for readers."),
      })
      .optional()
      .describe("What the caller sees of the answer."),
    pages: Pages.optional().describe("How the list that it answers goes on; a run reads page after page."),
    usage: Usage.optional().describe("What is measured; leaf by leaf over that of the provider."),
    price: ManifestPrice.optional().describe(
      "What a run costs, in USD before markup; in place of that of the provider.",
    ),
    priceSource: PriceSource.optional().describe("Where its price is published; in place of that of the provider."),
    async: z
      .union([Async, z.strictObject({})])
      .optional()
      .describe("The job protocol; {} means the provider's."),
    errors: z
      .array(ErrorRule)
      .default([])
      .describe("What answers mean; the first that matches wins, before those of the provider."),
    http: Http.optional().describe("Over that of the provider, leaf by leaf."),
    resources: ResourceUse.optional().describe("What a run does to resources that remain at the provider."),
    examples: z.array(Example).default([]).describe("Shown in inspect, and replayed by mkt catalog test."),
  })
  .meta({ id: "ManifestEndpoint" });
export type ManifestEndpoint = z.infer<typeof ManifestEndpoint>;
