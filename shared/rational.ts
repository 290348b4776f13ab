/**
 * Exact fractions, so that a price is rounded only once, at the end. `d` is above 0; fractions are not kept in lowest
 * terms, so compare them with `compare`. docs/manifest.md, "Exact amounts".
 */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** The digits after the point that an amount in a manifest may have. docs/manifest.md, "Exact amounts". */
export const MAX_FRACTION_DIGITS = 12;

/** No price and no double is longer; a provider must not keep us busy with endless digits. */
const MAX_TEXT_LENGTH = 100;

export const ZERO: Rational = { n: 0n, d: 1n };

export function fromInteger(value: number | bigint): Rational {
  return { n: BigInt(value), d: 1n };
}

/**
 * Reads a decimal exactly: text such as `"0.002"`, or a number by its shortest decimal text (0.1 is one tenth, not the
 * nearest double). Throws RangeError when it is not a finite decimal or has more digits after the point than allowed.
 */
export function fromDecimal(value: string | number, maxFractionDigits = MAX_FRACTION_DIGITS): Rational {
  const text = String(value);
  const match = text.length > MAX_TEXT_LENGTH ? null : /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/.exec(text);
  if (!match) throw new RangeError(`${JSON.stringify(text.slice(0, MAX_TEXT_LENGTH))} is not a decimal number`);

  const [, sign = "", whole = "0", fractionText = "", exponentText = "0"] = match;
  const fraction = fractionText.replace(/0+$/, "");
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponentText);
  if (digits !== 0n && scale > maxFractionDigits) {
    throw new RangeError(`${value} has more than ${maxFractionDigits} digits after the point`);
  }
  return scale > 0 ? { n: digits, d: 10n ** BigInt(scale) } : { n: digits * 10n ** BigInt(-scale), d: 1n };
}

export function add(a: Rational, b: Rational): Rational {
  return a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { n: -b.n, d: b.d });
}

export function multiply(a: Rational, b: Rational): Rational {
  return { n: a.n * b.n, d: a.d * b.d };
}

/** Throws RangeError when `b` is zero. */
export function divide(a: Rational, b: Rational): Rational {
  if (b.n === 0n) throw new RangeError("division by zero");
  return b.n > 0n ? { n: a.n * b.d, d: a.d * b.n } : { n: -a.n * b.d, d: a.d * -b.n };
}

/** Below 0, 0 or above 0, as for sort. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function larger(a: Rational, b: Rational): Rational {
  return compare(a, b) >= 0 ? a : b;
}

export function smaller(a: Rational, b: Rational): Rational {
  return compare(a, b) <= 0 ? a : b;
}

/** The smallest integer that is not below the fraction. */
export function ceil(value: Rational): bigint {
  const quotient = value.n / value.d;
  return value.n > 0n && quotient * value.d !== value.n ? quotient + 1n : quotient;
}

/**
 * Exact decimal text without an exponent and without unnecessary zeros. Throws RangeError when the fraction has no
 * finite decimal form (one third).
 */
export function toDecimalText(value: Rational): string {
  const negative = value.n < 0n;
  const whole = (negative ? -value.n : value.n) / value.d;
  let rest = (negative ? -value.n : value.n) % value.d;
  let fraction = "";
  while (rest !== 0n) {
    if (fraction.length >= MAX_TEXT_DIGITS) throw new RangeError("the fraction has no exact decimal text");
    rest *= 10n;
    fraction += String(rest / value.d);
    rest %= value.d;
  }
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** An amount of 12 digits with a markup of 12 + 2 digits has 26; a longer one is not a price. */
export const MAX_TEXT_DIGITS = 26;

/** The nearest double; for the wire and for people, never to calculate with. */
export function toNumber(value: Rational): number {
  if (value.d === 1n) return Number(value.n);
  const negative = value.n < 0n;
  const absolute = negative ? -value.n : value.n;
  const fraction = ((absolute % value.d) * 10n ** BigInt(DOUBLE_DIGITS)) / value.d;
  const text = `${absolute / value.d}.${String(fraction).padStart(DOUBLE_DIGITS, "0")}`;
  return Number(negative ? `-${text}` : text);
}

/** This many digits after the point distinguish any two doubles. */
const DOUBLE_DIGITS = 345;
