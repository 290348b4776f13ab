import { expect, test } from "vitest";
import { microDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import type { MoneyReads } from "../../daemon/ledger/transaction/money-reads.ts";
import { askMoneyGates } from "../../daemon/runs/admission/money-gates.ts";
import { scheduleCreated } from "../storage/lines.ts";
import { branded, type Plain } from "../support/branded.ts";

const at = "2026-11-21T10:00:00.000Z";

function wallet(members: Partial<Plain<MoneyReads>>): MoneyReads {
  return branded<MoneyReads>({
    balance: 0,
    held: 0,
    controls: [],
    webhooks: [],
    key: undefined,
    limitedBy: [],
    approvalRules: [],
    makers: () => [],
    meteredAt: (asked) => asked,
    spending: () => ({ windowStart: at, spent: NO_MONEY, held: NO_MONEY }),
    ...members,
  });
}

test("a run that costs nothing needs nothing, also of a wallet below zero", () => {
  const money = wallet({ balance: -5 });

  expect(askMoneyGates(money, { required: microDollars(0), unlimited: false, at }).refusals).toEqual([]);
  expect(askMoneyGates(money, { required: microDollars(1), unlimited: false, at }).refusals).toMatchObject([
    { kind: "wallet" },
  ]);
});

test("a wallet without limits goes no further than the ledger is exact", () => {
  const low = wallet({ balance: -Number.MAX_SAFE_INTEGER });
  const full = wallet({ held: Number.MAX_SAFE_INTEGER });

  for (const money of [low, full]) {
    expect(askMoneyGates(money, { required: microDollars(1), unlimited: true, at }).refusals).toMatchObject([
      { kind: "wallet" },
    ]);
    expect(askMoneyGates(money, { required: microDollars(0), unlimited: true, at }).refusals).toEqual([]);
  }
});

test("a schedule's budget leaves what its runs have not spent and do not hold", () => {
  const budget = { limitMicroDollars: microDollars(10), period: "DAY" } as const;
  const money = wallet({
    balance: 1_000,
    schedule: scheduleCreated("s1", { budget }).definition,
    spending: (of) => ({
      windowStart: at,
      spent: microDollars(typeof of === "object" && "scheduleId" in of ? 4 : 0),
      held: microDollars(typeof of === "object" && "scheduleId" in of ? 3 : 0),
    }),
  });
  const refusalsOf = (dollars: number) =>
    askMoneyGates(money, { required: microDollars(dollars), unlimited: false, at }).refusals;

  expect(refusalsOf(3)).toEqual([]);
  expect(refusalsOf(4)).toEqual([{ kind: "schedule", available: 3 }]);
});
