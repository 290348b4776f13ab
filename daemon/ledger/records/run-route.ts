import { z } from "zod";
import { RunInput } from "../../../shared/contract/runs.ts";
import { MarketRecord } from "./market-record.ts";
import { PriceModel } from "../money/price-model.ts";
import { RecordedAmount } from "../money/recorded-amount.ts";

const named = { provider: z.string(), endpoint: z.string() };
/** The map of a member's output, as its route file has it. */
const outputMap = z.record(z.string(), z.unknown());

/** A member of a route that may still be tried: what its call needs, as it was when the run was accepted. */
export const CandidateRecord = z.object({
  ...named,
  providerName: z.string(),
  manifestHash: z.string(),
  /** Mapped and checked, in composite form; absent: it is what the caller gave. Always there in lines of earlier versions. */
  input: RunInput.exactOptional(),
  price: PriceModel,
  priceWithoutMarkup: PriceModel,
  /** The most that a run of this member may cost. */
  maximumMicroDollars: RecordedAmount,
  repeatable: z.boolean(),
  maxPages: z.int().exactOptional(),
  output: outputMap.exactOptional(),
  /** Of a member that is at another market. */
  market: MarketRecord.exactOptional(),
});
export type CandidateRecord = z.infer<typeof CandidateRecord>;

/** A member that was called, or could not be reached, and was left for the next one. */
export const LeftMember = z.object({
  ...named,
  /** When the run turned to it. */
  at: z.string(),
  durationMs: z.number(),
  reason: z.string(),
  /** Who caused it, where there was no answer. */
  source: z.string().exactOptional(),
  httpStatus: z.int().exactOptional(),
  /** It may have been executed; the caller allowed that it is repeated elsewhere. */
  maybeExecuted: z.literal(true).exactOptional(),
  /** Of a member at another market: its run there, which may go on and be charged there. */
  market: MarketRecord.pick({ host: true, run: true }).exactOptional(),
});
export type LeftMember = z.infer<typeof LeftMember>;

/**
 * The route that a run goes through. The run itself is always that of one member: its provider, endpoint, input and price
 * are those of the member that is tried now, or that was tried last. docs/routes.md
 */
export const RunRoute = z.object({
  /** The route that was asked for. */
  ...named,
  /** The input that the caller gave; absent: it is the present member's, which is then not written twice. */
  input: RunInput.exactOptional(),
  /** The member that a run's acceptance named; its answer stays the same. */
  first: z.object({ ...named, price: PriceModel }),
  /** When the run turned to the present member; absent: when it was accepted. */
  turnedAt: z.string().exactOptional(),
  /** The most that a run of the present member may cost. */
  maximumMicroDollars: RecordedAmount,
  /** The map of the present member's output. */
  output: outputMap.exactOptional(),
  /** The members that may still be tried, in their order; empty once the run has ended. */
  next: z.array(CandidateRecord),
  left: z.array(LeftMember),
  /** Members that were not tried at all, and why. */
  passedOver: z.array(z.object({ ...named, reason: z.string() })),
  /** The caller allowed that the next member is tried where the one before may have been executed. */
  allowsUncertain: z.literal(true).exactOptional(),
});
export type RunRoute = z.infer<typeof RunRoute>;
