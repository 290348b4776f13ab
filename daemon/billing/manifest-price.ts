import { z } from "zod";
import { fromDecimal, MAX_FRACTION_DIGITS } from "./rational.ts";

/**
 * The price as an author writes it in a provider's file: dollars, before markup, strict keys. Pure shape; what must hold
 * between the fields is in `check-price.ts`. Manifest, "Price".
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

/** A number in USD, read by its shortest decimal text, or the form of the wire. */
export const ManifestMoney = z.union([dollars, z.strictObject({ value: dollars, currency: z.literal("USD") })], {
  error: "an amount is a number in USD, such as 0.002, or {value: 0.002, currency: USD}",
});
export type ManifestMoney = z.infer<typeof ManifestMoney>;

/** What callers see and pay is amount × (1 + percent/100), and `fixed` once a run. Manifest, top level. */
export const ManifestMarkup = z.strictObject({
  percent: z
    .number()
    .min(0)
    .max(10_000)
    .refine(hasExactDecimal, `a percentage has at most ${MAX_FRACTION_DIGITS} digits after the point`)
    .default(0),
  fixed: ManifestMoney.exactOptional(),
});
export type ManifestMarkup = z.infer<typeof ManifestMarkup>;

const ManifestPeriod = z.strictObject({ unit: z.enum(["MINUTE", "DAY", "MONTH"]), count: z.int().min(1) });

const selectorFields = {
  label: z.string().min(1),
  key: z.string().min(1),
  in: z.enum(["body", "queryParam", "pathParam", "output"]),
};
const ManifestSelector = z.strictObject(selectorFields);
const when = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const rules = [
  z.strictObject({ type: z.literal("FREE") }),
  z.strictObject({ type: z.literal("PER_CALL"), amount: ManifestMoney }),
  z.strictObject({ type: z.literal("PER_RESULT"), amount: ManifestMoney, flatFee: ManifestMoney.exactOptional() }),
  z.strictObject({ type: z.literal("METERED"), amount: ManifestMoney, per: ManifestPeriod }),
  z.strictObject({
    type: z.literal("PER_UNIT"),
    amount: ManifestMoney,
    per: z
      .number()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .refine(hasExactDecimal, `per has at most ${MAX_FRACTION_DIGITS} digits after the point`),
    unit: z.enum(["token", "character", "second", "image"]),
  }),
] as const;

/** A price without structure; variants, tiers and defaults are such. */
export const ManifestRule = z.discriminatedUnion("type", rules);
export type ManifestRule = z.infer<typeof ManifestRule>;

export const ManifestPrice = z.discriminatedUnion("type", [
  ...rules,
  z.strictObject({
    type: z.literal("PER_UNIT_MATRIX"),
    selectors: z.array(ManifestSelector).min(1),
    variants: z
      .array(z.strictObject({ when, price: ManifestRule, label: z.string().exactOptional() }))
      .min(1)
      .max(MAX_VARIANTS),
    default: ManifestRule.exactOptional(),
  }),
  z.strictObject({
    type: z.literal("TIERED"),
    default: ManifestRule,
    tiers: z
      .array(
        z.strictObject({
          label: z.string().min(1),
          when: when.exactOptional(),
          selector: z
            .strictObject({
              ...selectorFields,
              offset: z
                .number()
                .min(0)
                .max(Number.MAX_SAFE_INTEGER)
                .refine(hasExactDecimal, `an offset has at most ${MAX_FRACTION_DIGITS} digits after the point`)
                .exactOptional(),
            })
            .exactOptional(),
          price: ManifestRule,
        }),
      )
      .max(MAX_TIERS),
    selectors: z.array(ManifestSelector).exactOptional(),
  }),
  z.strictObject({ type: z.literal("BY_PERIOD"), amount: ManifestMoney, period: ManifestPeriod }),
]);
export type ManifestPrice = z.infer<typeof ManifestPrice>;

function hasExactDecimal(value: number): boolean {
  try {
    fromDecimal(value);
    return true;
  } catch {
    return false;
  }
}
