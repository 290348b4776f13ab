import type { WorkspaceId } from "../../base/ids.ts";
import { z } from "zod";
import { add, type MicroDollars, negate, NO_MONEY, subtract } from "../../../shared/micro-dollars.ts";
import { RecordedAmount } from "./recorded-amount.ts";

/**
 * Named ledger postings: who gains, who gives. Micro-dollars; every list sums to 0.
 *
 *   posting   ws:<id>:bal        ws:<id>:held   service:charged   operator:funds
 *   hold      - amount           + amount
 *   settle    + held - charged   - held         + charged
 *   release   + held             - held
 *   rent      - amount                          + amount
 *   credit    + amount                                            - amount
 *   debit     - amount                                            + amount
 *
 * Balance is what is free to spend; a debit may take it below 0. docs/storage.md, "A line".
 */
export const Posting = z.tuple([z.string(), RecordedAmount]);
export type Posting = z.infer<typeof Posting>;
export const Postings = z.array(Posting);
export type Postings = z.infer<typeof Postings>;

/** What the service has charged to all workspaces. */
export const SERVICE_CHARGED = "service:charged";
/** What the operator has put in; below 0 by the sum of all credits less debits. */
export const OPERATOR_FUNDS = "operator:funds";

/** The account of what a workspace may spend. */
export function balanceAccount(workspaceId: WorkspaceId): string {
  return `ws:${workspaceId}:bal`;
}

/** The account of what is reserved for runs under way. */
export function heldAccount(workspaceId: WorkspaceId): string {
  return `ws:${workspaceId}:held`;
}

/** Reserves the most that a run may cost. */
export function hold(workspaceId: WorkspaceId, amount: MicroDollars): Postings {
  checkAmount(amount, "hold");
  return postings([balanceAccount(workspaceId), negate(amount)], [heldAccount(workspaceId), amount]);
}

/** Ends a hold: the charge goes to the service, the rest back to the balance. */
export function settle(
  workspaceId: WorkspaceId,
  {
    held,
    charged,
  }: {
    readonly held: MicroDollars;
    /** May be above `held`: then the balance gives the difference. */
    readonly charged: MicroDollars;
  },
): Postings {
  checkAmount(held, "hold");
  checkAmount(charged, "charge");
  return postings(
    [balanceAccount(workspaceId), subtract(held, charged)],
    [heldAccount(workspaceId), negate(held)],
    [SERVICE_CHARGED, charged],
  );
}

/** Ends a hold without a charge. */
export function release(workspaceId: WorkspaceId, held: MicroDollars): Postings {
  return settle(workspaceId, { held, charged: NO_MONEY });
}

/** Takes the rent of a period, paid ahead. */
export function rent(workspaceId: WorkspaceId, amount: MicroDollars): Postings {
  checkAmount(amount, "rent");
  return postings([balanceAccount(workspaceId), negate(amount)], [SERVICE_CHARGED, amount]);
}

/** The operator puts money in. */
export function credit(workspaceId: WorkspaceId, amount: MicroDollars): Postings {
  checkAmount(amount, "credit");
  return postings([OPERATOR_FUNDS, negate(amount)], [balanceAccount(workspaceId), amount]);
}

/** The operator takes money out. */
export function debit(workspaceId: WorkspaceId, amount: MicroDollars): Postings {
  checkAmount(amount, "debit");
  return postings([balanceAccount(workspaceId), negate(amount)], [OPERATOR_FUNDS, amount]);
}

/** Throws RangeError unless every amount is a safe integer and they sum to 0. */
export function assertBalanced(led: readonly (readonly [account: string, microDollars: number])[]): void {
  let sum = 0;
  let isExact = true;
  for (const [account, amount] of led) {
    if (!Number.isSafeInteger(amount)) {
      throw new RangeError(`the posting of ${amount} to ${account} is not a whole number of micro-dollars`);
    }
    sum += amount;
    isExact &&= Number.isSafeInteger(sum);
  }
  if (isExact && sum === 0) return;
  checkExactly(led);
}

function checkExactly(led: readonly (readonly [account: string, microDollars: number])[]): void {
  const sum = led.reduce((total, [, amount]) => total + BigInt(amount), 0n);
  if (sum !== 0n) throw new RangeError(`the postings sum to ${sum} micro-dollars instead of 0`);
}

/** What the postings move on one account; 0 when they do not touch it. */
export function movedOn(account: string, led: Postings): MicroDollars {
  return led.reduce((moved, [name, amount]) => (name === account ? add(moved, amount) : moved), NO_MONEY);
}

/** Leaves out what moves nothing, which also keeps -0 out of the journal. */
function postings(...all: Posting[]): Postings {
  const moving = all.filter(([, amount]) => amount !== 0);
  assertBalanced(moving);
  return moving;
}

function checkAmount(value: MicroDollars, what: string): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`a ${what} of ${value} is not a whole number of micro-dollars, 0 or more`);
  }
}
