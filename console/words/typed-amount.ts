import type { MoneyUnits } from "../../shared/contract/common.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { readersDecimalSign, withPoint } from "./typed-number.ts";

/**
 * Dollars as a reader types them, such as `12.50`, `$1`, or `0,50` where a comma is the decimal sign; undefined when that
 * is no amount.
 */
export function typedMicros(text: string, decimalSign = readersDecimalSign()): MicroDollars | undefined {
  const dollars = withPoint(text.trim().replace(/^\$\s*|\s*\$$/, ""), decimalSign);
  if (dollars === undefined) return undefined;
  try {
    const value = parseDollars(dollars);
    return value < 0 ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The same as limits take it. */
export function typedAmount(text: string): MoneyUnits | undefined {
  const value = typedMicros(text);
  return value === undefined ? undefined : { value, unit: "MICRO_DOLLAR", currency: "USD" };
}

/** As `typedAmount`; throws with what to type, in words. */
export function readAmount(text: string): MoneyUnits {
  const amount = typedAmount(text);
  if (amount === undefined) throw new Error("Type an amount in dollars, such as 12.50.");
  return amount;
}

/** What to say of a text that is no amount. */
export function notAnAmount(text: string, decimalSign = readersDecimalSign()): string {
  return `“${text.trim()}” is no amount. Type dollars, such as 0${decimalSign}50.`;
}
