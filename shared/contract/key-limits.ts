import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyGiven } from "./common.ts";
import { ControlPeriod } from "./controls.ts";

/** The limit for spending and holds of a key's runs in each window of the period. docs/contract.md, "Key limits". */
export const SpendLimit = z.object({ amount: Money, period: ControlPeriod }).meta({ id: "SpendLimit" });
export type SpendLimit = z.infer<typeof SpendLimit>;

/** A limit in a request: no other members. */
export const SpendLimitGiven = closedObject({
  amount: MoneyGiven.meta({ description: "At least 0, at most 6 decimal places." }),
  period: ControlPeriod,
}).meta({ id: "SpendLimitGiven" });

/** The use of a key's spend limit in the current window. */
export const KeySpending = z
  .object({
    spent: Money,
    held: Money.meta({ description: "Reserved for runs in flight." }),
    left: Money.meta({ description: "What is left under its limit and those of the keys that created it." }),
    resetsAt: DateTime.meta({ description: "When the next window begins." }),
  })
  .meta({ id: "KeySpending" });
export type KeySpending = z.infer<typeof KeySpending>;
