import { z } from "zod";
import { fromDecimal, MAX_FRACTION_DIGITS } from "../../shared/rational.ts";

/**
 * The price as an author writes it in a provider's file: dollars, before markup, strict keys. Only the shape; rules
 * between the fields are in `check-price.ts`. docs/manifest.md, "Prices".
 */

/** Dollars. With at most 100 tiers and this bound, the flat parts of any price stay within safe micro-dollars. */
export const MAX_AMOUNT_DOLLARS = 1_000_000;
const MAX_TIERS = 100;
const MAX_VARIANTS = 1_000;

const dollars = z
  .number({ error: "an amount is a number in USD, such as 0.002, or {value: 0.002, currency: USD}" })
  .min(0, "an amount of money cannot be negative")
  .max(MAX_AMOUNT_DOLLARS, `an amount is at most ${MAX_AMOUNT_DOLLARS} dollars`)
  .refine(hasExactDecimal, `an amount has at most ${MAX_FRACTION_DIGITS} digits after the point`);

/** A number in USD, read by its shortest decimal text, or the wire format. */
export const ManifestMoney = z
  .union([dollars, z.strictObject({ value: dollars.describe("USD."), currency: z.literal("USD") })], {
    error: "an amount is a number in USD, such as 0.002, or {value: 0.002, currency: USD}",
  })
  .meta({ id: "ManifestMoney" });
export type ManifestMoney = z.infer<typeof ManifestMoney>;

/** What callers see and pay is amount × (1 + percent/100), and `fixed` once a run. docs/manifest.md, "Markup". */
export const ManifestMarkup = z
  .strictObject({
    percent: z
      .number()
      .min(0)
      .max(10_000)
      .refine(hasExactDecimal, `a percentage has at most ${MAX_FRACTION_DIGITS} digits after the point`)
      .default(0)
      .describe("Added to every amount."),
    fixed: ManifestMoney.exactOptional().describe("USD, added once a run."),
  })
  .meta({ id: "ManifestMarkup" });
export type ManifestMarkup = z.infer<typeof ManifestMarkup>;

const ManifestPeriod = z
  .strictObject({
    unit: z.enum(["MINUTE", "DAY", "MONTH"]).describe("Unit of time."),
    count: z.int().min(1).describe("How many of them."),
  })
  .meta({ id: "ManifestPeriod" });
const flatPart = "USD for the run itself, whatever it counts.";

const selectorFields = {
  label: z.string().min(1).describe("Its name for people."),
  key: z.string().min(1).describe("Name of the field that decides."),
  in: z.enum(["body", "queryParam", "pathParam", "output"]).describe("Where the field is."),
};
const ManifestSelector = z.strictObject(selectorFields).meta({ id: "ManifestSelector" });
const when = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const freePrice = z.strictObject({ type: z.literal("FREE") });
const pricedRules = [
  z.strictObject({ type: z.literal("PER_CALL"), amount: ManifestMoney.describe("USD a run.") }),
  z.strictObject({
    type: z.literal("PER_RESULT"),
    amount: ManifestMoney.describe("USD a result; usage.count counts them."),
    flatFee: ManifestMoney.exactOptional().describe(flatPart),
  }),
  z.strictObject({
    type: z.literal("METERED"),
    amount: ManifestMoney.describe("USD for each per that a run takes."),
    per: ManifestPeriod.describe("The time that amount is for."),
  }),
  z.strictObject({
    type: z.literal("PER_UNIT"),
    amount: ManifestMoney.describe("USD for each per units; usage.units counts them."),
    per: z
      .number()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .refine(hasExactDecimal, `per has at most ${MAX_FRACTION_DIGITS} digits after the point`)
      .describe("Units that amount is for, such as 1000."),
    unit: z.enum(["token", "character", "second", "image"]).describe("What a unit is."),
  }),
] as const;

/** A price without structure, as used in variants, tiers and defaults. */
export const ManifestRule = z.discriminatedUnion("type", [freePrice, ...pricedRules]).meta({ id: "ManifestRule" });
export type ManifestRule = z.infer<typeof ManifestRule>;

export const ManifestPrice = z
  .discriminatedUnion(
    "type",
    [
      freePrice.extend({
        billedByVendor: z
          .literal(true)
          .exactOptional()
          .describe("The provider bills each call on the operator's key, and no price is set here: never called free."),
      }),
      ...pricedRules,
      z.strictObject({
        type: z.literal("PER_UNIT_MATRIX"),
        selectors: z.array(ManifestSelector).min(1).describe("The fields that decide."),
        variants: z
          .array(
            z.strictObject({
              when: when.describe("The value of each field that decides."),
              price: ManifestRule.describe("What it costs then."),
              label: z.string().exactOptional().describe("Its name for people."),
            }),
          )
          .min(1)
          .max(MAX_VARIANTS)
          .describe("Prices by the values of those fields."),
        default: ManifestRule.exactOptional().describe("For all other values."),
      }),
      z.strictObject({
        type: z.literal("TIERED"),
        default: ManifestRule.describe("What every run costs."),
        tiers: z
          .array(
            z.strictObject({
              label: z.string().min(1).describe("Its name for people."),
              when: when.exactOptional().describe("The values of fields with which it counts."),
              selector: z
                .strictObject({
                  ...selectorFields,
                  offset: z
                    .number()
                    .min(0)
                    .max(Number.MAX_SAFE_INTEGER)
                    .refine(hasExactDecimal, `an offset has at most ${MAX_FRACTION_DIGITS} digits after the point`)
                    .exactOptional()
                    .describe("How much of it is included before counting starts."),
                })
                .exactOptional()
                .describe("The field whose quantity is counted."),
              price: ManifestRule.describe("What it costs."),
            }),
          )
          .max(MAX_TIERS)
          .describe("Prices on top, each where its when fits."),
        selectors: z.array(ManifestSelector).exactOptional().describe("The fields that when looks at."),
      }),
      z.strictObject({
        type: z.literal("BY_PERIOD"),
        amount: ManifestMoney.describe("USD a period, paid ahead."),
        period: ManifestPeriod.describe("How long one payment lasts."),
      }),
    ],
    {
      // For a value that is not a map; otherwise its type reports the error.
      error: ({ code }: { readonly code: string }) =>
        code === "invalid_type" ? "a price is a map such as {type: PER_CALL, amount: 0.01} or {type: FREE}" : undefined,
    },
  )
  .meta({ id: "ManifestPrice" });
export type ManifestPrice = z.infer<typeof ManifestPrice>;

function hasExactDecimal(value: number): boolean {
  try {
    fromDecimal(value);
    return true;
  } catch {
    return false;
  }
}
