import { z } from "zod";
import { RecordedAmount } from "../money/recorded-amount.ts";

/** The part of a run that is at another market. */
export const MarketRecord = z.object({
  host: z.string(),
  /** What the market may charge at most; absent where it knows no `maxCost`. */
  maximum: RecordedAmount.exactOptional(),
  /** On top of what it reports; absent: the run is charged by its own price. */
  markupPercent: z.number().exactOptional(),
  /** Ids of the markets that the run came through, this daemon's last. */
  hops: z.array(z.string()),
  run: z.object({ runId: z.string(), status: z.string(), cost: RecordedAmount.exactOptional() }).exactOptional(),
});
export type MarketRecord = z.infer<typeof MarketRecord>;
