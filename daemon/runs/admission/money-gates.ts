import { atLeastZero, type MicroDollars, NO_MONEY, subtract } from "../../../shared/micro-dollars.ts";
import { askApproval, ruleFor } from "../../approvals/needed-approval.ts";
import { availableIn, type MetControl } from "../../ledger/records/control-records.ts";
import { evaluateControls } from "../../controls/evaluate-controls.ts";
import { keepControls } from "../../ledger/records/met-controls.ts";
import { leftOfKeyLimits } from "../../identity/left-of-key-limits.ts";
import type { MoneyReads } from "../../ledger/transaction/money-reads.ts";
import { blockedReason } from "./refusal-words.ts";
import { accept, block, type FirstStep, reuse } from "../lifecycle/run-lifecycle.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

/** What the money gates check. */
export interface MoneyFacts {
  /** The most that the run may cost, which is what it would hold. */
  readonly required: MicroDollars;
  readonly maxCost?: MicroDollars | undefined;
  /** True: the wallet never refuses a run. */
  readonly unlimited: boolean;
  /** From `meteredAt`. */
  readonly at: string;
}

/** The refusal of one gate. `available` is what the gate leaves for one run. */
export type MoneyRefusal =
  | { readonly kind: "maxCost" | "keyLimit" | "schedule" | "wallet"; readonly available: MicroDollars }
  | { readonly kind: "runCap" | "budget"; readonly available: MicroDollars; readonly controlId: string };

export interface MoneyFindings {
  /** In the order of the gates; the first one decides. Empty when the run may hold what it needs. */
  readonly refusals: readonly MoneyRefusal[];
  /** Every control in force, with its state when the run met it, in the order of creation. */
  readonly controls: readonly MetControl[];
}

type MoneyGate = (money: MoneyReads, facts: MoneyFacts, controls: readonly MetControl[]) => readonly MoneyRefusal[];

/**
 * The money gates, in order. Runs and quotes both go through them. Source: docs/contract.md, "Order of the gates".
 */
const gates: readonly MoneyGate[] = [
  maxCostCovers,
  keyLimitCovers,
  scheduleCovers,
  runCapsCover,
  budgetsCover,
  walletCovers,
];

export function askMoneyGates(money: MoneyReads, facts: MoneyFacts): MoneyFindings {
  const controls = evaluateControls(money, facts.required, facts.at);
  return { refusals: gates.flatMap((gate) => gate(money, facts, controls)), controls };
}

/** A run was refused by its own maxCost, its key's limit or the wallet. Nothing is recorded for it. */
export class MoneyRefused extends Error {
  override readonly name = "MoneyRefused";
  constructor(readonly refusal: MoneyRefusal) {
    super(`refused by ${refusal.kind}`);
  }
}

/**
 * The first line of a run, computed at the moment of the commit: accepted with its hold, to begin or to wait for a person's
 * approval, or BLOCKED if a control refuses it. Throws `MoneyRefused` if something else refuses it.
 */
export function firstStep(
  run: RunRecord,
  money: MoneyReads,
  { unlimited, estimateMicroDollars }: { readonly unlimited: boolean; readonly estimateMicroDollars: MicroDollars },
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
  if (first === undefined) {
    const rule = ruleFor(money, run);
    if (rule === undefined) return accept(metered);
    const { startedAt: _startedAt, ...waiting } = metered;
    const approval = askApproval(rule, { at: run.createdAt, estimateMicroDollars, input: run.input });
    return accept({ ...waiting, status: "READY", approval });
  }
  if (first.kind === "runCap" || first.kind === "budget") return block(metered, blockedReason(controls));
  throw new MoneyRefused(first);
}

/**
 * The only line of a run with the answer of an earlier one. A run that costs nothing passes every gate; the controls that
 * it met are recorded all the same.
 */
export function reusedStep(run: RunRecord, money: MoneyReads, source: RunRecord): FirstStep {
  const meteredAt = money.meteredAt(run.createdAt);
  const controls = evaluateControls(money, NO_MONEY, meteredAt);
  return reuse({ ...run, meteredAt, ...keepControls(controls) }, source);
}

function maxCostCovers(_: MoneyReads, { required, maxCost }: MoneyFacts): MoneyRefusal[] {
  return maxCost === undefined || required <= maxCost ? [] : [{ kind: "maxCost", available: maxCost }];
}

function keyLimitCovers(money: MoneyReads, { required, at }: MoneyFacts): MoneyRefusal[] {
  const available = leftOfKeyLimits(money, money.key, at);
  return available === undefined || covers(available, required) ? [] : [{ kind: "keyLimit", available }];
}

/** The budget of the schedule that makes the run. */
function scheduleCovers(money: MoneyReads, { required, at }: MoneyFacts): MoneyRefusal[] {
  const { schedule } = money;
  if (schedule?.budget === undefined) return [];
  const { spent, held } = money.spending(schedule, schedule.budget.period, at);
  const available = subtract(schedule.budget.limitMicroDollars, spent, held);
  return covers(available, required) ? [] : [{ kind: "schedule", available }];
}

function runCapsCover(_: MoneyReads, __: MoneyFacts, controls: readonly MetControl[]): MoneyRefusal[] {
  return controls.filter(({ kind }) => kind === "runCap").flatMap(refusalOf);
}

function budgetsCover(_: MoneyReads, __: MoneyFacts, controls: readonly MetControl[]): MoneyRefusal[] {
  return controls.filter(({ kind }) => kind === "budget").flatMap(refusalOf);
}

function walletCovers({ balance, held }: MoneyReads, { required, unlimited }: MoneyFacts): MoneyRefusal[] {
  // Even an unlimited wallet must stay within the numbers that the ledger can represent exactly.
  const isExact = Number.isSafeInteger(balance - required) && Number.isSafeInteger(held + required);
  return isExact && (unlimited || covers(balance, required)) ? [] : [{ kind: "wallet", available: balance }];
}

/** A run that costs nothing always passes, even if the balance is negative. */
function covers(available: MicroDollars, required: MicroDollars): boolean {
  return required <= atLeastZero(available);
}

function refusalOf(met: MetControl): MoneyRefusal[] {
  if (!met.isBlocking) return [];
  return [{ kind: met.kind, controlId: met.controlId, available: availableIn(met) }];
}
