/*
 * What a run costs, worked out a second time: straight from the price as its author wrote it, with fractions of its own.
 * It imports nothing from the daemon, so that the two cannot share a mistake. docs/manifest.md,
 * "Prices", "Markup", "Unmeasured quantities" and "Exact amounts"; docs/contract.md, "Prices".
 */

type Scalar = string | number | boolean;
export type OracleMoney = number | { value: number; currency: "USD" };
export type OraclePeriod = { unit: "MINUTE" | "DAY" | "MONTH"; count: number };
export type OracleRule =
  | { type: "FREE" }
  | { type: "PER_CALL"; amount: OracleMoney }
  | { type: "PER_RESULT"; amount: OracleMoney; flatFee?: OracleMoney }
  | { type: "METERED"; amount: OracleMoney; per: OraclePeriod }
  | { type: "PER_UNIT"; amount: OracleMoney; per: number; unit: "token" | "character" | "second" | "image" };
export type OracleSelector = { label: string; key: string; in: "body" | "queryParam" | "pathParam" | "output" };
export type OracleTier = {
  label: string;
  when?: Record<string, Scalar>;
  selector?: OracleSelector & { offset?: number };
  price: OracleRule;
};
export type OraclePrice =
  | OracleRule
  | {
      type: "PER_UNIT_MATRIX";
      selectors: OracleSelector[];
      variants: { when: Record<string, Scalar>; price: OracleRule; label?: string }[];
      default?: OracleRule;
    }
  | { type: "TIERED"; default: OracleRule; tiers: OracleTier[]; selectors?: OracleSelector[] };

export interface OracleCase {
  price: OraclePrice;
  markup: { percent: number; fixed?: OracleMoney };
  input: {
    body?: Record<string, unknown>;
    queryParams?: Record<string, unknown>;
    pathParams?: Record<string, unknown>;
  };
  output?: unknown;
  measured: { count?: number; units?: number; elapsedMs: number };
}

/** The calculated cost in whole micro-dollars. */
export function oracleMicroDollars({ price, markup, input, output, measured }: OracleCase): bigint {
  const factor = plus([1n, 1n], times(exact(markup.percent), [1n, 100n]));
  const fixed = markup.fixed === undefined ? ([0n, 1n] as Fraction) : money(markup.fixed);
  const lookUp = (selector: OracleSelector) => {
    const root = { body: input.body, queryParam: input.queryParams, pathParam: input.pathParams, output }[selector.in];
    return dig(root, selector.key);
  };
  const holds = (when: Record<string, Scalar>, selectors: OracleSelector[]) =>
    Object.keys(when).every((key) => {
      const selector = selectors.filter((one) => one.key === key)[0];
      const value = selector === undefined ? undefined : lookUp(selector);
      return ["string", "number", "boolean"].includes(typeof value) && `${value as Scalar}` === `${when[key]}`;
    });
  const measuredCost = (rule: OracleRule) => {
    if (rule.type === "PER_RESULT") return ruleCost(rule, usable(measured.count, false));
    if (rule.type === "PER_UNIT") return ruleCost(rule, usable(measured.units, rule.unit === "second"));
    if (rule.type === "METERED") return ruleCost(rule, usable(measured.elapsedMs, true));
    return ruleCost(rule, undefined);
  };

  if (price.type === "PER_UNIT_MATRIX") {
    const row = price.variants.find((variant) => holds(variant.when, price.selectors))?.price ?? price.default;
    return row === undefined ? 0n : roundUp(times(measuredCost(row), factor));
  }
  if (price.type === "TIERED") {
    let sum = measuredCost(price.default);
    for (const tier of price.tiers) {
      const selectors = [...(price.selectors ?? []), ...(tier.selector ? [tier.selector] : [])];
      if (!holds(tier.when ?? {}, selectors)) continue;
      sum = plus(sum, tier.selector === undefined ? measuredCost(tier.price) : selectedCost(tier, lookUp));
    }
    return roundUp(times(sum, factor));
  }
  return roundUp(plus(times(measuredCost(price), factor), fixed));
}

function selectedCost(tier: OracleTier, lookUp: (selector: OracleSelector) => unknown): Fraction {
  const selector = tier.selector;
  if (selector === undefined) return [0n, 1n];
  const fractional = tier.price.type === "PER_UNIT" && tier.price.unit === "second";
  const found = lookUp(selector);
  const spelled = typeof found === "string" && tier.price.type === "PER_UNIT" && tier.price.unit === "character";
  const value = spelled ? [...found].length : found;
  const nothingAsked = selector.in !== "output" && (value === undefined || value === null);
  const read = nothingAsked ? ([0n, 1n] as Fraction) : usable(value, fractional);
  if (read === undefined) return ruleCost(tier.price, undefined);
  const above = plus(read, times(exact(selector.offset ?? 0), [-1n, 1n]));
  return ruleCost(tier.price, above[0] < 0n ? [0n, 1n] : above);
}

function ruleCost(rule: OracleRule, quantity: Fraction | undefined): Fraction {
  const q = quantity ?? ([0n, 1n] as Fraction);
  switch (rule.type) {
    case "FREE":
      return [0n, 1n];
    case "PER_CALL":
      return money(rule.amount);
    case "PER_RESULT":
      return plus(rule.flatFee === undefined ? [0n, 1n] : money(rule.flatFee), times(q, money(rule.amount)));
    case "PER_UNIT": {
      const [top, bottom] = exact(rule.per);
      return times(times(q, [bottom, top]), money(rule.amount));
    }
    case "METERED": {
      const minutes = { MINUTE: 1n, DAY: 1440n, MONTH: 43_200n }[rule.per.unit] * BigInt(rule.per.count);
      return times(times(q, [1n, minutes * 60_000n]), money(rule.amount));
    }
  }
}

/** A quantity that may be billed, or undefined. */
function usable(value: unknown, fractional: boolean): Fraction | undefined {
  if (Array.isArray(value)) return [BigInt(value.length), 1n];
  if (typeof value !== "number" || !(value >= 0 && value <= 9_007_199_254_740_991)) return undefined;
  return fractional || Math.floor(value) === value ? exact(value) : undefined;
}

function own(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" && Object.keys(value).includes(name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function dig(root: unknown, key: string): unknown {
  const whole = own(root, key);
  if (whole !== undefined) return whole;
  let value = root;
  for (const name of key.split(".")) value = own(value, name);
  return value;
}

type Fraction = [top: bigint, bottom: bigint];

function money(amount: OracleMoney): Fraction {
  return exact(typeof amount === "object" ? amount.value : amount);
}

/** The decimal that a number prints as. */
function exact(value: number): Fraction {
  const [mantissa = "0", exponent = "0"] = `${value}`.split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  let [top, bottom]: Fraction = [BigInt(whole + decimals), 1n];
  let power = Number(exponent) - decimals.length;
  for (; power < 0; power++) bottom *= 10n;
  for (; power > 0; power--) top *= 10n;
  return lowestTerms([top, bottom]);
}

function plus(a: Fraction, b: Fraction): Fraction {
  return lowestTerms([a[0] * b[1] + b[0] * a[1], a[1] * b[1]]);
}

function times(a: Fraction, b: Fraction): Fraction {
  return lowestTerms([a[0] * b[0], a[1] * b[1]]);
}

function lowestTerms([top, bottom]: Fraction): Fraction {
  let a = top < 0n ? -top : top;
  let b = bottom;
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? [0n, 1n] : [top / a, bottom / a];
}

function roundUp([top, bottom]: Fraction): bigint {
  return (top * 1_000_000n + bottom - 1n) / bottom;
}
