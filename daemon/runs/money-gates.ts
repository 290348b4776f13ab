import { atLeastZero, type MicroDollars } from "../../shared/micro-dollars.ts";
import { availableIn, type MetControl } from "../ledger/control-records.ts";
import { evaluateControls } from "../controls/evaluate-controls.ts";
import { keepControls } from "../ledger/met-controls.ts";
import { leftOfKeyLimits } from "../identity/left-of-key-limits.ts";
import type { MoneyReads } from "../ledger/money-reads.ts";
import { blockedReason } from "./refusal-words.ts";
import { accept, block, type FirstStep } from "./run-lifecycle.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** What the gates of money are asked for. */
export interface MoneyFacts {
  /** The most that the run may cost: what it would hold. */
  readonly required: MicroDollars;
  readonly maxCost?: MicroDollars | undefined;
  /** True: the wallet refuses nothing. */
  readonly unlimited: boolean;
  /** From `meteredAt`. */
  readonly at: string;
}

/** A gate that does not let a run through. `available` is what it leaves for one run. */
export type MoneyRefusal =
  | { readonly kind: "maxCost" | "keyLimit" | "wallet"; readonly available: MicroDollars }
  | { readonly kind: "runCap" | "budget"; readonly available: MicroDollars; readonly controlId: string };

export interface MoneyFindings {
  /** In the order of the gates; the first one decides. Empty: the run may hold what it needs. */
  readonly refusals: readonly MoneyRefusal[];
  /** Every control in force as the run met it, in the order of creation. */
  readonly controls: readonly MetControl[];
}

type MoneyGate = (money: MoneyReads, facts: MoneyFacts, controls: readonly MetControl[]) => readonly MoneyRefusal[];

/**
 * The gates that ask for money, in order, walked by runs and quotes alike. Source: docs/contract.md, "Order of the gates".
 */
const gates: readonly MoneyGate[] = [maxCostCovers, keyLimitCovers, runCapsCover, budgetsCover, walletCovers];

export function askMoneyGates(money: MoneyReads, facts: MoneyFacts): MoneyFindings {
  const controls = evaluateControls(money, facts.required, facts.at);
  return { refusals: gates.flatMap((gate) => gate(money, facts, controls)), controls };
}

/** A run was refused, and nothing is recorded of it: by its own maxCost, its key's limit or the wallet. */
export class MoneyRefused extends Error {
  override readonly name = "MoneyRefused";
  constructor(readonly refusal: MoneyRefusal) {
    super(`refused by ${refusal.kind}`);
  }
}

/**
 * The first line of a run at the moment that it is taken: accepted with its hold, or, where a control refuses, BLOCKED.
 * Throws `MoneyRefused` where something else does.
 */
export function firstStep(
  run: RunRecord,
  money: MoneyReads,
  { unlimited }: { readonly unlimited: boolean },
): FirstStep {
  const meteredAt = money.meteredAt(run.createdAt);
  const { refusals, controls } = askMoneyGates(money, {
    required: run.heldMicroDollars,
    maxCost: run.maxCostMicroDollars,
    unlimited,
    at: meteredAt,
  });
  const metered = { ...run, meteredAt, ...keepControls(controls) };
  const [first] = refusals;
  if (first === undefined) return accept(metered);
  if (first.kind === "runCap" || first.kind === "budget") return block(metered, blockedReason(controls));
  throw new MoneyRefused(first);
}

function maxCostCovers(_: MoneyReads, { required, maxCost }: MoneyFacts): MoneyRefusal[] {
  return maxCost === undefined || required <= maxCost ? [] : [{ kind: "maxCost", available: maxCost }];
}

function keyLimitCovers(money: MoneyReads, { required, at }: MoneyFacts): MoneyRefusal[] {
  const available = leftOfKeyLimits(money, money.key, at);
  return available === undefined || covers(available, required) ? [] : [{ kind: "keyLimit", available }];
}

function runCapsCover(_: MoneyReads, __: MoneyFacts, controls: readonly MetControl[]): MoneyRefusal[] {
  return controls.filter(({ kind }) => kind === "runCap").flatMap(refusalOf);
}

function budgetsCover(_: MoneyReads, __: MoneyFacts, controls: readonly MetControl[]): MoneyRefusal[] {
  return controls.filter(({ kind }) => kind === "budget").flatMap(refusalOf);
}

function walletCovers({ balance, held }: MoneyReads, { required, unlimited }: MoneyFacts): MoneyRefusal[] {
  // No wallet, also one without limits, goes where the ledger would not be exact any more.
  const isExact = Number.isSafeInteger(balance - required) && Number.isSafeInteger(held + required);
  return isExact && (unlimited || covers(balance, required)) ? [] : [{ kind: "wallet", available: balance }];
}

/** A run that costs nothing needs nothing, also where more was taken than there was. */
function covers(available: MicroDollars, required: MicroDollars): boolean {
  return required <= atLeastZero(available);
}

function refusalOf(met: MetControl): MoneyRefusal[] {
  if (!met.isBlocking) return [];
  return [{ kind: met.kind, controlId: met.controlId, available: availableIn(met) }];
}
