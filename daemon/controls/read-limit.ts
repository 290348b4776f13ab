import type { MoneyUnits } from "../../shared/contract/common.ts";
import { ApiError } from "../../shared/errors.ts";
import { type MicroDollars, microDollars } from "../../shared/micro-dollars.ts";

const MICRO_DOLLARS_PER_UNIT = { MICRO_DOLLAR: 1, CENT: 10_000, DOLLAR: 1_000_000 } as const;

/** The limit of a control as it is given; 400 for one that is not exact in micro-dollars. */
export function readLimit({ value, unit }: MoneyUnits): MicroDollars {
  const limit = value * MICRO_DOLLARS_PER_UNIT[unit];
  if (Number.isSafeInteger(limit)) return microDollars(limit);
  throw new ApiError("invalidInput", `limitAmount.value: ${value} ${unit} is too large an amount`);
}
