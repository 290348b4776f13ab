import { z } from "zod";
import { Money } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { RunPrice } from "./price.ts";
import { QuotedRoute } from "./route-members.ts";
import { HopsHeaders, RunRequest } from "./runs.ts";

/** What would refuse the run at this moment. `available` is what it allows for one run. */
export const QuoteRefusal = z
  .object({
    kind: z.enum(["wallet", "maxCost", "keyLimit", "runCap", "budget"]),
    controlId: z.string().optional().meta({ description: "Of the budget or the run cap." }),
    available: Money,
  })
  .meta({ id: "QuoteRefusal" });
export type QuoteRefusal = z.infer<typeof QuoteRefusal>;

/** The cost of a run, and whether it would be allowed. docs/contract.md, "Quotes". */
export const Quote = z
  .object({
    provider: z.string(),
    endpoint: z.string(),
    price: RunPrice,
    estimate: Money.meta({ description: "What the run is likely to cost." }),
    maximum: Money.meta({ description: "What the run would hold." }),
    maxPages: z
      .int()
      .optional()
      .meta({ description: "The most pages of a list that the run would read; absent where there are none." }),
    rule: z
      .object({
        label: z.string().optional(),
        quantity: z.number().optional().meta({
          description: "Results, units, or milliseconds of run time; absent when none, or more than one, is counted.",
        }),
      })
      .meta({ description: "The rule of the price that was chosen for this input; several are named together." }),
    wouldBlock: z
      .array(QuoteRefusal)
      .meta({ description: "In the order in which a run meets them; empty when it would be let through." }),
    approvalAbove: Money.optional().meta({
      description:
        "Above this amount a person has to approve the run, which waits until then; absent: it needs nobody.",
    }),
    route: QuotedRoute.optional().meta({ description: "Of a route: maximum is then that of its dearest member." }),
  })
  .meta({ id: "Quote" });
export type Quote = z.infer<typeof Quote>;

export const quoteOperations = {
  quoteRun: defineOperation({
    ...operationPaths.quoteRun,
    tier: "mkt",
    tag: "Runs",
    summary: "Price a run without making it",
    description:
      "The input is checked as a run's would be. Nothing is called, held or recorded. It needs the scope of a run, because it reveals what the wallet and the controls leave.",
    auth: "workspace",
    scope: "runs:create",
    headers: HopsHeaders,
    body: RunRequest,
    responses: { 200: Quote },
    errors: [400, 404, 503, 508],
  }),
};
