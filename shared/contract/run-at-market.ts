import { z } from "zod";
import { Money } from "./common.ts";

/** The run at another market that a run was passed on to. docs/markets.md */
export const RunAtMarket = z
  .object({
    host: z.string().meta({ description: "Of the market, with its port if it has an own one." }),
    runId: z.string().optional().meta({ description: "Its id there; absent until the market gave one." }),
    status: z.string().optional().meta({ description: "Its status there, when the market last told an end." }),
    cost: Money.optional().meta({ description: "What the market charged, before markup." }),
  })
  .meta({ id: "RunAtMarket" });
export type RunAtMarket = z.infer<typeof RunAtMarket>;
