import type { MoneyUnits } from "../../shared/contract/common.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";

/** Dollars as a reader types them, such as `12.50`; undefined when that is no amount. */
export function typedMicros(text: string): MicroDollars | undefined {
  try {
    const value = parseDollars(text.trim().replace(/^\$/, ""));
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
