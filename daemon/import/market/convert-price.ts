import { ManifestPrice } from "../../manifest/manifest-price.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { listOf, type Members, membersOf } from "../conversion/members.ts";

/**
 * A price of the wire as a provider's file has it, for people to see and for discovery: a run costs what its market
 * reports. A text says why there is none: another currency, a rent, or a type that is not known.
 */
export function convertPrice(price: unknown): Members | string {
  const read = isRecord(price) ? readPrice(price) : undefined;
  if (read === undefined) return "its price is of a kind, or in a currency, that is not known here";
  if (read["type"] === "BY_PERIOD")
    return "it rents a resource, which can only be managed and paid at the market itself";
  const checked = ManifestPrice.safeParse(read);
  return checked.success ? read : "its price cannot be read";
}

function readPrice(price: Members): Members | undefined {
  switch (price["type"]) {
    case "BY_PERIOD":
      return { type: "BY_PERIOD" };
    case "PER_UNIT_MATRIX":
      return whole({
        type: "PER_UNIT_MATRIX",
        selectors: listOf(price, "selectors").map(selectorOf),
        variants: listOf(price, "variants").map((variant) => {
          const { when, price: own, label } = membersOf(variant);
          const rule = readRule(membersOf(own));
          return { when, price: rule, ...(typeof label === "string" && { label }) };
        }),
        ...(price["default"] !== undefined && { default: readRule(membersOf(price["default"])) }),
      });
    case "TIERED":
      return whole({
        type: "TIERED",
        default: readRule(membersOf(price["default"])),
        tiers: listOf(price, "tiers").map((tier) => {
          const { label, when, selector, price: own } = membersOf(tier);
          const hasWhen = isRecord(when) && Object.keys(when).length > 0;
          return {
            label,
            ...(hasWhen && { when }),
            ...(selector !== undefined && { selector: selectorOf(selector) }),
            price: readRule(membersOf(own)),
          };
        }),
        ...(price["selectors"] !== undefined && { selectors: listOf(price, "selectors").map(selectorOf) }),
      });
    default: {
      const rule = readRule(price);
      const isFree = rule?.["type"] === "FREE" && price["billedByVendor"] === true;
      return isFree ? { ...rule, billedByVendor: true } : rule;
    }
  }
}

/** Undefined when one of its rules could not be read. */
function whole(price: Members): Members | undefined {
  const rules = [
    ...("default" in price ? [price["default"]] : []),
    ...[...listOf(price, "variants"), ...listOf(price, "tiers")].map((part) => membersOf(part)["price"]),
  ];
  return rules.includes(undefined) ? undefined : price;
}

function readRule(rule: Members): Members | undefined {
  const amount = dollarsOf(rule["amount"]);
  if (amount === undefined) return undefined;
  const { type, flatFee, per, unit } = rule;
  switch (type) {
    case "PER_CALL":
      return amount === 0 ? { type: "FREE" } : { type, amount };
    case "PER_RESULT": {
      const fee = flatFee === undefined ? undefined : dollarsOf(flatFee);
      if (flatFee !== undefined && fee === undefined) return undefined;
      return { type, amount, ...(fee !== undefined && { flatFee: fee }) };
    }
    case "METERED":
    case "PER_UNIT":
      return { type, amount, per, ...(unit !== undefined && { unit }) };
    default:
      return undefined;
  }
}

function selectorOf(selector: unknown): Members {
  const { label, key, in: place } = membersOf(selector);
  return { label, key, in: place };
}

function dollarsOf(money: unknown): number | undefined {
  const { value, currency } = membersOf(money);
  return currency === "USD" && typeof value === "number" ? value : undefined;
}
