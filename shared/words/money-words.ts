import { formatDollars, microDollars } from "../micro-dollars.ts";

/** Dollars of the wire as `$0.002`; an amount finer than a micro-dollar as the number that it is. */
export function dollars(value: number): string {
  const micros = Math.round(value * 1_000_000);
  const isExact = Number.isSafeInteger(micros) && Math.abs(micros / 1_000_000 - value) <= Math.abs(value) * 1e-9;
  return isExact ? formatDollars(microDollars(micros)) : `$${value}`;
}
