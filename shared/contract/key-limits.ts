import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyGiven } from "./common.ts";
import { ControlPeriod } from "./controls.ts";

/** What the runs of a key may spend, and hold, in each window of the period. docs/contract.md, "Key limits". */
export const SpendLimit = z.object({ amount: Money, period: ControlPeriod }).meta({ id: "SpendLimit" });
export type SpendLimit = z.infer<typeof SpendLimit>;

/** A limit as it is asked for: nothing beside it. */
export const SpendLimitGiven = closedObject({
  amount: MoneyGiven.meta({ description: "At least 0, at most 6 decimal places." }),
  period: ControlPeriod,
}).meta({ id: "SpendLimitGiven" });

/** What a key with a spend limit has used of it in the window of now. */
export const KeySpending = z
  .object({
    spent: Money,
    held: Money.meta({ description: "Reserved for runs in flight." }),
    left: Money.meta({ description: "What is left under its limit and those of the keys that created it." }),
    resetsAt: DateTime.meta({ description: "When the next window begins." }),
  })
  .meta({ id: "KeySpending" });
export type KeySpending = z.infer<typeof KeySpending>;
