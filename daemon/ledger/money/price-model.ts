import { z } from "zod";
import { Period } from "../../../shared/contract/common.ts";
import { PriceUnit, Selector, When } from "../../../shared/contract/price.ts";

/**
 * A price as it is kept with a catalog entry and with every run: plain data, amounts in dollars as exact decimal text,
 * markup already applied. FREE is PER_CALL with amount "0". docs/manifest.md, "Prices"; the names are those of the wire
 * (docs/contract.md, "Prices"), the offset of a selector is ours alone.
 */
const Amount = z.string().regex(/^\d+(\.\d+)?$/);

const PerCall = z.object({ type: z.literal("PER_CALL"), amount: Amount });
/** `billedByVendor`: the amount is 0, and the provider bills the operator's key; never free. */
const WholePerCall = PerCall.extend({ billedByVendor: z.literal(true).exactOptional() });
const PerResult = z.object({ type: z.literal("PER_RESULT"), amount: Amount, flatFee: Amount.exactOptional() });
const Metered = z.object({ type: z.literal("METERED"), amount: Amount, per: Period });
const PerUnit = z.object({
  type: z.literal("PER_UNIT"),
  amount: Amount,
  per: z.number().positive(),
  unit: PriceUnit,
});

/** One of the four simple prices, of which the structured ones are made. docs/contract.md, "Prices". */
export const RuleModel = z.discriminatedUnion("type", [PerCall, PerResult, Metered, PerUnit]);
export type RuleModel = z.infer<typeof RuleModel>;

export const VariantModel = z.object({ when: When, price: RuleModel, label: z.string().exactOptional() });
export type VariantModel = z.infer<typeof VariantModel>;

/** `offset`: how much of the selected quantity is included before counting starts. */
export const TierModel = z.object({
  label: z.string(),
  when: When.exactOptional(),
  selector: Selector.extend({ offset: z.number().min(0).exactOptional() }).exactOptional(),
  price: RuleModel,
});
export type TierModel = z.infer<typeof TierModel>;

/** Exactly one variant is chosen: the first that matches, else the default. */
export const MatrixModel = z.object({
  type: z.literal("PER_UNIT_MATRIX"),
  selectors: z.array(Selector),
  variants: z.array(VariantModel),
  default: RuleModel.exactOptional(),
});
export type MatrixModel = z.infer<typeof MatrixModel>;

/** The default is always billed, and every tier that matches is added. */
export const TieredModel = z.object({
  type: z.literal("TIERED"),
  default: RuleModel,
  tiers: z.array(TierModel),
  selectors: z.array(Selector).exactOptional(),
});
export type TieredModel = z.infer<typeof TieredModel>;

/** Rent of the resource that an endpoint makes; charged beside the price of its runs. */
const PeriodModel = z.object({ type: z.literal("BY_PERIOD"), amount: Amount, period: Period });

export const PriceModel = z.discriminatedUnion("type", [
  WholePerCall,
  PerResult,
  Metered,
  PerUnit,
  MatrixModel,
  TieredModel,
  PeriodModel,
]);
export type PriceModel = z.infer<typeof PriceModel>;
