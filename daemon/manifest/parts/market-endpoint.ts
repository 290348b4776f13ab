import { z } from "zod";

/** Further than this no run is passed on, whatever the markets say. docs/markets.md, "No loops". */
export const MAX_HOPS = 5;

/** An endpoint that another market serves. docs/markets.md */
export const MarketEndpoint = z
  .strictObject({
    provider: z.string().min(1).max(200).describe("The provider's slug there."),
    endpoint: z.string().max(2_000).regex(/^\//, "a path that begins with /").describe("The endpoint's path there."),
    mode: z
      .enum(["sync", "async"])
      .default("async")
      .describe("Whether it answers at once there; async fits every endpoint, as such a run is polled."),
    deadlineMs: z
      .int()
      .min(1_000)
      .max(86_400_000)
      .optional()
      .describe("Its deadline there in milliseconds; runs here have a little more."),
    maxPages: z
      .int()
      .min(2)
      .max(1_000)
      .optional()
      .describe("The most pages of a list that a run reads there; a caller's maxPages and maxCost lower that."),
    additions: z
      .boolean()
      .default(true)
      .describe(
        "false: the market knows no quotes, maxCost, maxPages, deadlineMs and Idempotency-Key, which the compatible interface lacks.",
      ),
    through: z
      .array(z.string().min(1).max(300))
      .max(MAX_HOPS - 1)
      .default([])
      .describe("Hosts of the markets behind it, nearest first, where it has the endpoint from another market."),
  })
  .meta({ id: "ManifestMarketEndpoint" });
export type MarketEndpoint = z.infer<typeof MarketEndpoint>;
