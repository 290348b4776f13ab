import { z } from "zod";
import { Money } from "./common.ts";
import { RunPrice } from "./price.ts";
import { RunAtMarket } from "./run-at-market.ts";

const named = { provider: z.string(), endpoint: z.string() };

/** A member of a route that was not tried, and why. */
const PassedOver = z.object({ ...named, reason: z.string() }).meta({ id: "PassedOverMember" });

/** The route that a run went through. Ours; docs/routes.md. */
export const RouteOfRun = z
  .object({
    ...named,
    attempts: z
      .array(
        z.object({
          ...named,
          at: z.string(),
          durationMs: z.number().min(0),
          outcome: z.enum(["left", "tried"]).meta({ description: "left: the run went on to the next member." }),
          reason: z.string().optional().meta({ description: "Why it was left." }),
          httpStatus: z.int().optional(),
          maybeExecuted: z.boolean().optional().meta({
            description: "It may have been executed all the same; the caller allowed that it was repeated elsewhere.",
          }),
          market: RunAtMarket.optional().meta({
            description: "Of a member that was left: its run at another market, as the market last told of it.",
          }),
        }),
      )
      .optional()
      .meta({ description: "The members that the run turned to, in order. The last one is that of the run itself." }),
    passedOver: z.array(PassedOver).optional(),
  })
  .meta({ id: "RouteOfRun", description: "provider and endpoint are those that were asked for." });
export type RouteOfRun = z.infer<typeof RouteOfRun>;

/** The members of a route, with what a run of each may cost. */
export const QuotedRoute = z
  .object({
    members: z
      .array(z.object({ ...named, providerName: z.string(), price: RunPrice, maximum: Money }))
      .meta({ description: "In the order in which they would be tried: the first is the likely one." }),
    passedOver: z.array(PassedOver),
  })
  .meta({ id: "QuotedRoute" });
export type QuotedRoute = z.infer<typeof QuotedRoute>;

/** A route as inspect shows it: its rules, and which member would be tried now. */
export const InspectedRoute = z
  .object({
    sort: z.enum(["price", "latency", "success"]).optional(),
    maxPrice: Money.optional().meta({ description: "A member of which a run may cost more is not tried." }),
    allowFallbacks: z.boolean(),
    members: z
      .array(
        z.object({
          ...named,
          displayName: z.string().optional(),
          price: RunPrice.optional(),
          via: z.array(z.string()).optional().meta({
            description: "Hosts of the markets that a run of it is passed on through, the first one first.",
          }),
          now: z.enum(["first", "next", "passedOver"]),
          why: z.string(),
        }),
      )
      .meta({ description: "In the order in which they would be tried now, then those that would not." }),
  })
  .meta({ id: "InspectedRoute" });
export type InspectedRoute = z.infer<typeof InspectedRoute>;
