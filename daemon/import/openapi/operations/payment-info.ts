import { memberOf } from "../../../../shared/member-of.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { listOf, type Members, wordOf } from "../../conversion/members.ts";

type FreePrice = { readonly type: "FREE"; readonly billedByVendor?: true };

/** The price of a call according to the document. */
export type FoundPrice =
  | { readonly price: FreePrice | { readonly type: "PER_CALL"; readonly amount: number } }
  /** There is a price, but it is unknown: a person has to set it. */
  | { readonly unknown: string };

/**
 * Decimal digits of the currencies used in offers, by name or by the token's address. Others are not converted to
 * dollars, because the document does not contain their value.
 */
const DOLLAR_DIGITS: Readonly<Record<string, number>> = {
  usd: 2,
  usdc: 6,
  "usdc.e": 6,
  pathusd: 6,
  // pathUSD on Tempo; USDC on Base and on Ethereum.
  "0x20c0000000000000000000000000000000000000": 6,
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913": 6,
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": 6,
};
const MAX_DOLLARS = 10_000;

/**
 * The price of one operation: our own `x-mkt-price` in USD, then `x-payment-info` in both of its forms: `price` in USD
 * beside `offers`, and offers with `amount` as text in the smallest unit (null: it depends). Undefined without either.
 */
export function readPrice(operation: Members): FoundPrice | undefined {
  const own = memberOf(operation, "x-mkt-price");
  if (own !== undefined) return ofOwn(own);
  const info = memberOf(operation, "x-payment-info");
  if (!isRecord(info)) return undefined;
  const stated = memberOf(info, "price");
  if (stated !== undefined)
    return (
      ofDollars(isRecord(stated) ? dollarsIn(stated) : stated) ?? {
        unknown: "x-payment-info says that the price depends",
      }
    );
  const listed = listOf(info, "offers").filter(isRecord);
  const offers = listed.length > 0 ? listed : [info];
  for (const offer of offers) {
    const found = ofOffer(offer);
    if (found !== undefined) return found;
  }
  return { unknown: "x-payment-info says that the price depends, or is not in dollars" };
}

/** An amount in USD, or a price in the manifest's format, of which only the price of a call can be used. */
function ofOwn(own: unknown): FoundPrice {
  const type = memberOf(own, "type") ?? "PER_CALL";
  if (type === "FREE") {
    const isBilled = memberOf(own, "billedByVendor") === true;
    return { price: { type: "FREE", ...(isBilled && { billedByVendor: true as const }) } };
  }
  const found = type === "PER_CALL" ? ofDollars(isRecord(own) ? memberOf(own, "amount") : own) : undefined;
  return found ?? { unknown: "x-mkt-price is not what a call costs, in USD" };
}

/** `{amount: "0.01", currency: USD}` and similar. */
function dollarsIn(price: Members): unknown {
  const currency = wordOf(memberOf(price, "currency") ?? "usd").toLowerCase();
  const mode = memberOf(price, "mode");
  if (currency !== "usd" || (mode !== undefined && mode !== "fixed")) return undefined;
  return memberOf(price, "amount") ?? memberOf(price, "value");
}

function ofDollars(written: unknown): FoundPrice | undefined {
  const text = typeof written === "string" ? written.trim().replace(/^\$/, "") : written;
  const amount = typeof text === "string" && /^\d{1,6}(?:\.\d{1,12})?$/.test(text) ? Number(text) : text;
  if (typeof amount !== "number" || !Number.isFinite(amount) || amount < 0 || amount > MAX_DOLLARS) return undefined;
  return { price: amount === 0 ? { type: "FREE" } : { type: "PER_CALL", amount: Number(amount.toFixed(12)) } };
}

function ofOffer(offer: Members): FoundPrice | undefined {
  const amount = memberOf(offer, "amount");
  const currency = wordOf(memberOf(offer, "currency")).toLowerCase();
  const ownDigits = memberOf(offer, "decimals");
  const known = Object.hasOwn(DOLLAR_DIGITS, currency) ? DOLLAR_DIGITS[currency] : undefined;
  const digits = known !== undefined && typeof ownDigits === "number" ? ownDigits : known;
  if (digits === undefined || typeof amount !== "string" || !/^\d{1,15}$/.test(amount)) return undefined;
  return ofDollars(Number(amount) / 10 ** digits);
}
