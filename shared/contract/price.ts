import { z } from "zod";
import { Money, MoneyUnits, Period } from "./common.ts";

/**
 * The source of a quantity or a selecting value: the request, or the provider's answer.
 * docs/contract.md, "Price selection".
 */
export const Selector = z
  .object({ label: z.string(), key: z.string(), in: z.enum(["body", "queryParam", "pathParam", "output"]) })
  .meta({ id: "Selector" });
export type Selector = z.infer<typeof Selector>;

export const When = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta({ id: "When", description: "All entries must equal the selected values." });
export type When = z.infer<typeof When>;

/**
 * The units of PER_UNIT. The units named as extended come from later contracts; the specification does not have them.
 */
export const PriceUnit = z
  .enum(["token", "character", "second", "image"])
  .meta({ "x-enum-extended": ["credit", "result", "gb-month", "step"] });
export type PriceUnit = z.infer<typeof PriceUnit>;

export const PriceRulePerCall = z
  .object({ type: z.enum(["PER_CALL"]), amount: Money })
  .meta({ id: "PriceRulePerCall" });
export type PriceRulePerCall = z.infer<typeof PriceRulePerCall>;

export const PriceRulePerResult = z
  .object({ type: z.enum(["PER_RESULT"]), amount: Money, flatFee: Money.optional() })
  .meta({ id: "PriceRulePerResult" });
export type PriceRulePerResult = z.infer<typeof PriceRulePerResult>;

export const PriceRuleMetered = z
  .object({ type: z.enum(["METERED"]), amount: Money, per: Period })
  .meta({ id: "PriceRuleMetered" });
export type PriceRuleMetered = z.infer<typeof PriceRuleMetered>;

export const PriceRulePerUnit = z
  .object({ type: z.enum(["PER_UNIT"]), amount: Money, per: z.number(), unit: PriceUnit })
  .meta({ id: "PriceRulePerUnit" });
export type PriceRulePerUnit = z.infer<typeof PriceRulePerUnit>;

export const PriceRule = z
  .discriminatedUnion("type", [PriceRulePerCall, PriceRulePerResult, PriceRuleMetered, PriceRulePerUnit])
  .meta({ id: "PriceRule" });
export type PriceRule = z.infer<typeof PriceRule>;

export const PriceVariant = z
  .object({ when: When, price: PriceRule, label: z.string().optional() })
  .meta({ id: "PriceVariant" });
export type PriceVariant = z.infer<typeof PriceVariant>;

export const PriceTier = z
  .object({
    label: z.string(),
    when: When.optional().meta({
      description: "Always send it (an empty object if unconditional): the reference client crashes without it.",
    }),
    selector: Selector.optional(),
    price: PriceRule,
  })
  .meta({ id: "PriceTier" });
export type PriceTier = z.infer<typeof PriceTier>;

/** The types of price that this service knows; on the wire the set is open. */
export const priceTypes = [
  "PER_CALL",
  "PER_RESULT",
  "METERED",
  "PER_UNIT",
  "BY_PERIOD",
  "PER_UNIT_MATRIX",
  "TIERED",
] as const;

const priceMembers = {
  type: z.string().meta({ "x-known-values": priceTypes, description: "Open set." }),
  amount: Money,
  flatFee: Money.optional(),
  period: Period.optional(),
  per: z.union([Period, z.number()]).optional(),
  unit: PriceUnit.optional(),
  default: PriceRule.optional(),
  selectors: z.array(Selector).optional(),
  variants: z.array(PriceVariant).optional(),
  tiers: z.array(PriceTier).optional(),
  /**
   * `true` or absent. The amount is then 0, because the caller's wallet pays nothing, although somebody is billed for
   * the call.
   */
  billedByVendor: z.literal(true).optional().meta({
    description: "The amount is 0, and the provider bills each call on the key that the operator gave: not free.",
  }),
};

export const PublicPrice = z
  .object(priceMembers)
  .meta({ id: "PublicPrice", description: "User-facing price, markup included." });
export type PublicPrice = z.infer<typeof PublicPrice>;

export const DiscoverPrice = z
  .object(priceMembers)
  .meta({ id: "DiscoverPrice", description: "Same shape as PublicPrice." });
export type DiscoverPrice = z.infer<typeof DiscoverPrice>;

export const Price = z
  .object({ ...priceMembers, notes: z.array(z.string()).optional() })
  .meta({ id: "Price", description: "PublicPrice plus free-text notes." });
export type Price = z.infer<typeof Price>;

/**
 * The flat price of run answers; matrix and tiered prices keep their structure in `detail`.
 * docs/contract.md, "Price of a run".
 */
export const RunPrice = z
  .object({
    type: z.string(),
    amount: z.number().meta({ description: "Plain dollars." }),
    currency: z.enum(["USD"]),
    detail: Price.optional().meta({ description: "Structured form, if the flat form does not say everything." }),
  })
  .meta({ id: "RunPrice", description: "Flat price carried by run responses." });
export type RunPrice = z.infer<typeof RunPrice>;

/** The three costs of a run, integer micro-dollars. docs/contract.md, "Costs". */
export const RunBilling = z
  .object({
    calculatedCost: MoneyUnits.meta({ description: "Price model applied to the measured quantities." }),
    actualCost: MoneyUnits.meta({ description: "Cost the service itself bears for the call." }),
    reportedCost: MoneyUnits.meta({ description: "What the wallet is charged." }),
  })
  .meta({ id: "RunBilling" });
export type RunBilling = z.infer<typeof RunBilling>;

export const Cost = z.object({ value: z.number(), currency: z.enum(["USD"]) }).meta({ id: "Cost" });
export type Cost = z.infer<typeof Cost>;
