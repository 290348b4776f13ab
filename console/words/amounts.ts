import type { Money } from "../../shared/contract/common.ts";
import { microDollars, type MicroDollars } from "../../shared/micro-dollars.ts";

/** An amount of the wire as micro-dollars, in which alone the page calculates. */
export function toMicros(amount: Money | number): MicroDollars {
  return microDollars(Math.round((typeof amount === "number" ? amount : amount.value) * 1_000_000));
}

/** At least cents, and as many digits more as the amount has: `$1,204.50`, `$0.002`. */
export function moneyText(micros: MicroDollars): string {
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(micros / 1_000_000);
}

/** Dollars of the wire, which may be finer than a micro-dollar in a price. */
export function dollarsText(dollars: number): string {
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 12,
  }).format(dollars);
}

/** For an axis: no digits that say nothing, `$5`, `$0.05`. */
export function axisMoneyText(micros: MicroDollars): string {
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 0,
    maximumFractionDigits: 6,
    ...(micros >= 10_000_000_000 && { notation: "compact" as const }),
  }).format(micros / 1_000_000);
}

export function countText(count: number): string {
  return new Intl.NumberFormat().format(count);
}

/** `3 runs`, `1 run`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : several}`;
}

export function shareText(share: number): string {
  return new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(
    share,
  );
}
