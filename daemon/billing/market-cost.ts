import { ceilToMicroDollars, microDollars, type MicroDollars } from "../../shared/micro-dollars.ts";
import { add, fromDecimal, fromInteger, multiply, type Rational } from "../../shared/rational.ts";
import { PriceError } from "./price-error.ts";

const PER_DOLLAR = 1_000_000n;

/**
 * What callers pay for what a market charges: cost × (1 + percent/100), exactly, and rounded up to a whole micro-dollar
 * once. So it is never below the cost, and grows with it: what is held for the market's maximum covers every charge up to
 * that. Throws PriceError beyond the safe range. docs/markets.md, "Money"
 */
export function markUpCost(costMicroDollars: number, percent: number): MicroDollars {
  const factor = add(fromInteger(1), multiply(fromDecimal(percent), { n: 1n, d: 100n }));
  const cost: Rational = { n: BigInt(costMicroDollars), d: PER_DOLLAR };
  const paid = ceilToMicroDollars(multiply(cost, factor));
  if (paid > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new PriceError(`a cost of ${paid} micro-dollars is more than can be billed`);
  }
  return microDollars(Number(paid));
}

/** The most that a market may charge where callers pay at most so much: `markUpCost` of it is not above. */
export function mostCostWithin(paidMicroDollars: number, percent: number): number {
  const factor = add(fromInteger(1), multiply(fromDecimal(percent), { n: 1n, d: 100n }));
  return Number((BigInt(paidMicroDollars) * factor.d) / factor.n);
}
