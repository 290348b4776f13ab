import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MicroDollars, microDollars } from "../../shared/micro-dollars.ts";
import {
  assertBalanced,
  balanceAccount,
  credit,
  debit,
  heldAccount,
  hold,
  Postings,
  release,
  rent,
  settle,
} from "../../daemon/ledger/money/postings.ts";
import { branded } from "../support/branded.ts";

const balance = "ws:W1:bal";
const held = "ws:W1:held";

test("accounts are named by workspace", () => {
  expect(balanceAccount("W1")).toBe(balance);
  expect(heldAccount("W1")).toBe(held);
});

test.each([
  ["a hold moves money aside", hold("W1", microDollars(121_000)), { [balance]: -121_000, [held]: 121_000 }],
  [
    "a settlement charges part of the hold and gives the rest back",
    settle("W1", { held: microDollars(121_000), charged: microDollars(77_000) }),
    { [balance]: 44_000, [held]: -121_000, "service:charged": 77_000 },
  ],
  [
    "a settlement may charge above the hold",
    settle("W1", { held: microDollars(10), charged: microDollars(15) }),
    { [balance]: -5, [held]: -10, "service:charged": 15 },
  ],
  [
    "a settlement of the whole hold leaves the balance alone",
    settle("W1", { held: microDollars(10), charged: microDollars(10) }),
    { [held]: -10, "service:charged": 10 },
  ],
  ["a release gives the hold back", release("W1", microDollars(121_000)), { [balance]: 121_000, [held]: -121_000 }],
  ["a rent goes from the balance to the service", rent("W1", microDollars(7)), { [balance]: -7, "service:charged": 7 }],
  ["a credit comes from the operator", credit("W1", microDollars(5)), { [balance]: 5, "operator:funds": -5 }],
  ["a debit goes to the operator", debit("W1", microDollars(5)), { [balance]: -5, "operator:funds": 5 }],
  ["a hold of nothing moves nothing", hold("W1", microDollars(0)), {}],
  [
    "a run that cost nothing and held nothing moves nothing",
    settle("W1", { held: microDollars(0), charged: microDollars(0) }),
    {},
  ],
])("%s", (_, postings, expected) => {
  expect(Object.fromEntries(postings)).toEqual(expected);
});

describe("money that is no money", () => {
  test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, "1" as unknown as number])(
    "an amount of %s is refused",
    (value) => {
      const amount = branded<MicroDollars>(value);
      expect(() => hold("W1", amount)).toThrow(RangeError);
      expect(() => credit("W1", amount)).toThrow(RangeError);
      expect(() => debit("W1", amount)).toThrow(RangeError);
      expect(() => release("W1", amount)).toThrow(RangeError);
      expect(() => rent("W1", amount)).toThrow(RangeError);
      expect(() => settle("W1", { held: microDollars(10), charged: amount })).toThrow(RangeError);
    },
  );

  test("minus zero moves nothing", () => {
    expect(hold("W1", branded<MicroDollars>(-0))).toEqual([]);
  });

  test("postings that do not sum to zero are refused", () => {
    expect(() =>
      assertBalanced([
        ["a", 1],
        ["b", -2],
      ]),
    ).toThrow("the postings sum to -1 micro-dollars instead of 0");
  });

  test("a sum that a double would lose is still found out", () => {
    const big = Number.MAX_SAFE_INTEGER;
    const check = () =>
      assertBalanced([
        ["a", big],
        ["b", big],
        ["c", -big],
        ["d", -big],
        ["e", 1],
      ]);

    expect(check).toThrow(RangeError);
  });
});

test("whatever happens to a run, money is neither made nor lost", () => {
  const amount = fc.integer({ min: 0, max: 1e12 });

  fc.assert(
    fc.property(amount, amount, amount, amount, (funds, reserved, charged, taken) => {
      const lines = [
        credit("W1", microDollars(funds)),
        hold("W1", microDollars(reserved)),
        settle("W1", { held: microDollars(reserved), charged: microDollars(charged) }),
        hold("W1", microDollars(taken)),
        release("W1", microDollars(taken)),
        debit("W1", microDollars(taken)),
      ];

      const accounts = new Map<string, number>();
      for (const [account, change] of lines.flat()) accounts.set(account, (accounts.get(account) ?? 0) + change);
      for (const line of lines) assertBalanced(Postings.parse(JSON.parse(JSON.stringify(line))));
      expect(accounts.get(held) ?? 0).toBe(0);
      expect(accounts.get(balance) ?? 0).toBe(funds - charged - taken);
    }),
  );
});
