import type { $brand } from "zod";
import type { Money } from "./contract/common.ts";
import { ceil, type Rational } from "./rational.ts";

/**
 * Integer micro-dollars within the safe range. Money is this everywhere but on the wire: made here, or by a schema that
 * brands what it has checked.
 */
export type MicroDollars = number & $brand<"MicroDollars">;

const perDollar = 1_000_000;

/** Brands an integer. Throws RangeError for anything that is not a safe integer; -0 becomes 0. */
export function microDollars(value: number): MicroDollars {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of micro-dollars`);
  return (value === 0 ? 0 : value) as MicroDollars;
}

export const NO_MONEY = microDollars(0);

/** Throws RangeError when the result leaves the safe range, as all arithmetic here does. */
export function add(a: MicroDollars, b: MicroDollars): MicroDollars {
  return microDollars(a + b);
}

export function subtract(from: MicroDollars, ...amounts: readonly MicroDollars[]): MicroDollars {
  return microDollars(amounts.reduce<number>((rest, amount) => rest - amount, from));
}

export function negate(value: MicroDollars): MicroDollars {
  return microDollars(-value);
}

export function sum(values: readonly MicroDollars[]): MicroDollars {
  return values.reduce(add, NO_MONEY);
}

export function smaller(a: MicroDollars, b: MicroDollars): MicroDollars {
  return a <= b ? a : b;
}

/** The amount itself, or 0 for one below it: what is left to spend of a balance that is overdrawn. */
export function atLeastZero(value: MicroDollars): MicroDollars {
  return value < 0 ? NO_MONEY : value;
}

/** Dollars as the nearest double, for the wire only: never calculate with it. */
export function toDollars(value: MicroDollars): number {
  return value / perDollar;
}

/** The wire shape of an amount. */
export function toMoney(value: MicroDollars): Money {
  return { value: toDollars(value), currency: "USD" };
}

/**
 * Reads dollars exactly: plain decimal text (`"10"`, `"0.002"`, `"-1.5"`), or a number by its shortest decimal text.
 * Throws RangeError when the text is not such a decimal, has more than six significant digits after the point, or is
 * beyond the safe range. It refuses and never rounds.
 */
export function parseDollars(dollars: string | number): MicroDollars {
  const text = typeof dollars === "number" ? plainDecimal(dollars) : dollars.trim();
  const match = text.length > 400 ? null : /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`"${dollars}" is not an amount in dollars, such as 10 or 0.002`);

  const [, sign = "", whole = "0", fraction = ""] = match;
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 6) {
    throw new RangeError(`${text} has more than 6 digits after the point; the smallest amount is 0.000001 dollars`);
  }
  const micros = BigInt(whole) * BigInt(perDollar) + BigInt(digits.padEnd(6, "0"));
  if (micros > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${text} dollars is too large an amount`);
  return microDollars(sign === "-" ? -Number(micros) : Number(micros));
}

/**
 * Dollars as whole micro-dollars, rounded up: the only rounding of a price. May be beyond the safe range of a number.
 */
export function ceilToMicroDollars(dollars: Rational): bigint {
  return ceil({ n: dollars.n * BigInt(perDollar), d: dollars.d });
}

/** `$` and as many digits as the amount needs: `$10`, `$0.002`, `-$1.5`. */
export function formatDollars(value: MicroDollars): string {
  return `${value < 0 ? "-" : ""}$${plainDollars(microDollars(Math.abs(value)))}`;
}

/** As `formatDollars`, as it is typed after a flag: `10`, `0.002`, `-1.5`. */
export function plainDollars(value: MicroDollars): string {
  const micros = Math.abs(value);
  const fraction = String(micros % perDollar)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${value < 0 ? "-" : ""}${Math.trunc(micros / perDollar)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A double's shortest text, without an exponent: 1e-7 becomes "0.0000001". */
function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;

  const [, sign = "", whole = "", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  return exponent < 0
    ? `${sign}0.${"0".repeat(-exponent - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(exponent, "0")}`;
}
