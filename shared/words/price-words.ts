import type { Period } from "../contract/common.ts";
import type { Price, PriceRule, PriceTier, PublicPrice, RunPrice } from "../contract/price.ts";
import { dollars } from "./money-words.ts";

/** Whoever carries a price: an endpoint's card, a run. Its provider may be the one who bills. */
export interface Biller {
  readonly provider: string;
  readonly providerName?: string | undefined;
  readonly providerDisplayName?: string | undefined;
}

/** Dollars in words; a page writes them as its reader does. */
export type WriteDollars = (value: number) => string;

/**
 * A price in one short phrase: `$0.002/call`, `$0.001/result + $0.1 start`, `from $0.01/call`, `free`, and where nobody set
 * a price for what the provider bills: `billed by Google Maps on your key`.
 */
export function priceWords(price: PublicPrice | Price, biller: Biller, write: WriteDollars = dollars): string {
  if (price.billedByVendor === true) return billedWords(biller);
  switch (price.type) {
    case "PER_UNIT_MATRIX":
      return matrixWords(price, write);
    case "TIERED":
      return `from ${price.default ? ruleWords(price.default, write) : write(price.amount.value)}`;
    case "BY_PERIOD":
      return `${write(price.amount.value)}/${price.period ? periodWords(price.period) : "period"}`;
    default:
      return ruleWords(price, write);
  }
}

/** The price that a run carries; `detail` holds it in full where the flat form does not. */
export function runPriceWords(price: RunPrice, biller: Biller, write: WriteDollars = dollars): string {
  if (price.detail) return priceWords(price.detail, biller, write);
  const { amount, type } = price;
  switch (type) {
    case "PER_CALL":
      return amount === 0 ? "free" : `${write(amount)}/call`;
    case "PER_RESULT":
      return `${write(amount)}/result`;
    default:
      return `${write(amount)} ${type}`;
  }
}

function billedWords({ provider, providerName, providerDisplayName }: Biller): string {
  return `billed by ${providerName ?? providerDisplayName ?? provider} on your key`;
}

/** One line for every row of a price that has several; none for a simple one. */
export function priceRows(price: PublicPrice | Price, write: WriteDollars = dollars): string[] {
  if (price.type === "PER_UNIT_MATRIX") {
    const variants = (price.variants ?? []).map(
      ({ when, label, price: rule }) => `${ruleWords(rule, write)} if ${whenWords(when)}${labelWords(label)}`,
    );
    return price.default ? [...variants, `${ruleWords(price.default, write)} otherwise`] : variants;
  }
  if (price.type === "TIERED") {
    const base = price.default ? [`${ruleWords(price.default, write)} always`] : [];
    return [...base, ...(price.tiers ?? []).map((tier) => tierWords(tier, write))];
  }
  return [];
}

function tierWords(tier: PriceTier, write: WriteDollars): string {
  const condition = tier.when && Object.keys(tier.when).length > 0 ? ` if ${whenWords(tier.when)}` : "";
  const quantity = tier.selector ? ` for each of ${tier.selector.label} (${tier.selector.key})` : "";
  return `+ ${ruleWords(tier.price, write)}${quantity}${condition}${labelWords(tier.label)}`;
}

function labelWords(label: string | undefined): string {
  return label === undefined || label === "" ? "" : ` (${label})`;
}

function matrixWords(price: PublicPrice, write: WriteDollars): string {
  const rules = [...(price.variants ?? []).map((variant) => variant.price), ...(price.default ? [price.default] : [])];
  const sorted = rules.toSorted((a, b) => a.amount.value - b.amount.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return write(price.amount.value);
  if (lowest.amount.value === highest.amount.value) return ruleWords(lowest, write);
  return `${write(lowest.amount.value)} to ${ruleWords(highest, write)}`;
}

type RuleLike = PriceRule | PublicPrice;

function ruleWords(rule: RuleLike, write: WriteDollars): string {
  const amount = write(rule.amount.value);
  switch (rule.type) {
    case "PER_CALL":
      return rule.amount.value === 0 ? "free" : `${amount}/call`;
    case "PER_RESULT": {
      const fee = "flatFee" in rule && rule.flatFee ? ` + ${write(rule.flatFee.value)} start` : "";
      return `${amount}/result${fee}`;
    }
    case "METERED":
      return `${amount}/${"per" in rule && typeof rule.per === "object" ? periodWords(rule.per) : "period"}`;
    case "PER_UNIT":
      return `${amount}/${unitWords(rule)}`;
    default:
      return `${amount} ${rule.type}`;
  }
}

function unitWords(rule: RuleLike): string {
  const unit = "unit" in rule && rule.unit ? rule.unit : "unit";
  const per = "per" in rule && typeof rule.per === "number" ? rule.per : 1;
  return per === 1 ? unit : `${per} ${unit}s`;
}

function periodWords({ unit, count }: Period): string {
  const name = unit.toLowerCase();
  return count === 1 ? name : `${count} ${name}s`;
}

function whenWords(when: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(when).map(([key, value]) => `${key} is ${String(value)}`);
  return words.length === 0 ? "anything" : words.join(" and ");
}
