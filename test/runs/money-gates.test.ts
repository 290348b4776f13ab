import { expect, test } from "vitest";
import { microDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import type { MoneyReads } from "../../daemon/ledger/money-reads.ts";
import { askMoneyGates } from "../../daemon/runs/money-gates.ts";
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
