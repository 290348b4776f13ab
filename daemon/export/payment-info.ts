import type { PriceModel, RuleModel } from "../ledger/money/price-model.ts";

type Json = Readonly<Record<string, unknown>>;

/** The payment method in offers: the caller's wallet at this service. */
const PAYMENT_METHOD = "mkt-wallet";
const CENTS = 100;

/**
 * A price in the common form for OpenAPI documents; undefined for a free one. The offer is in whole cents, or null when
 * the price has fractions of a cent or depends on the call; `price` is a call's price in decimal dollars. Source:
 * draft-payment-discovery-01, "Payment Offer Object"; `price` as in the documents of marketplaces.
 */
export function toPaymentInfo(price: PriceModel, words: string): Json | undefined {
  if (isFree(price)) return undefined;
  const perCall = price.type === "PER_CALL" ? price.amount : undefined;
  return {
    ...(perCall !== undefined && { price: perCall }),
    offers: [
      {
        intent: "charge",
        method: PAYMENT_METHOD,
        amount: perCall === undefined ? null : wholeCents(perCall),
        currency: "USD",
        description: words,
      },
    ],
  };
}

/** The price in the format of a provider's file, with markup applied: our importer uses it unchanged. */
export function toManifestPrice(price: PriceModel): Json {
  switch (price.type) {
    case "PER_UNIT_MATRIX":
      return {
        ...price,
        variants: price.variants.map((variant) => ({ ...variant, price: toManifestRule(variant.price) })),
        ...(price.default !== undefined && { default: toManifestRule(price.default) }),
      };
    case "TIERED":
      return {
        ...price,
        default: toManifestRule(price.default),
        tiers: price.tiers.map((tier) => ({ ...tier, price: toManifestRule(tier.price) })),
      };
    case "BY_PERIOD":
      return { ...price, amount: Number(price.amount) };
    case "PER_CALL":
      return price.billedByVendor === true ? { type: "FREE", billedByVendor: true } : toManifestRule(price);
    default:
      return toManifestRule(price);
  }
}

function toManifestRule(rule: RuleModel): Json {
  if (isFree(rule)) return { type: "FREE" };
  const { amount, ...others } = rule;
  const { flatFee, ...rest } = { flatFee: undefined, ...others };
  return { ...rest, amount: Number(amount), ...(flatFee !== undefined && { flatFee: Number(flatFee) }) };
}

function isFree(price: PriceModel): boolean {
  return price.type === "PER_CALL" && /^0+(?:\.0+)?$/.test(price.amount);
}

/** Decimal dollars as a whole number of cents, only digits; null when there is a fraction. */
function wholeCents(dollars: string): string | null {
  const [whole = "0", fraction = ""] = dollars.split(".");
  if (/[1-9]/.test(fraction.slice(2))) return null;
  return String(BigInt(whole) * BigInt(CENTS) + BigInt(fraction.slice(0, 2).padEnd(2, "0")));
}
