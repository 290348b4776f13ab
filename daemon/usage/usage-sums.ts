import type { UsageItem, UsageTotal } from "../../shared/contract/usage.ts";
import { add, type MicroDollars, NO_MONEY, toMoney } from "../../shared/micro-dollars.ts";
import { type Group, noRunSums, type RunSums } from "../ledger/stores/run-sums.ts";

/** The sums of one group: of its runs, and of rent. */
export interface Sums extends RunSums {
  rent: MicroDollars;
}

/** Sums by group. */
export type SumsByGroup = Map<Group, Sums>;

/** `runs`: the sums of runs by group. They are copied. */
export function sumsWithoutRent(runs: ReadonlyMap<Group, RunSums>): SumsByGroup {
  return new Map([...runs].map(([group, sums]) => [group, { ...sums, rent: NO_MONEY }]));
}

/** Rent is not a run: it is added to the charges, and also summed separately. */
export function addRent(sums: SumsByGroup, group: Group, amount: MicroDollars): void {
  const own = sumsOf(sums, group);
  own.charged = add(own.charged, amount);
  own.rent = add(own.rent, amount);
}

/** The total of all groups; throws RangeError if it is not a safe integer. */
export function totalOf(sums: SumsByGroup): UsageTotal {
  const total = noSums();
  for (const own of sums.values()) {
    for (const name of countNames) total[name] += own[name];
    for (const name of amountNames) total[name] = add(total[name], own[name]);
  }
  return toWire(total);
}

/** Most expensive first, then most runs, then by name. */
export function dearestFirst(sums: SumsByGroup): UsageItem[] {
  return inOrder(sums, ([one, a], [other, b]) => b.charged - a.charged || b.runs - a.runs || byName(one, other));
}

export function inOrderOfName(sums: SumsByGroup): UsageItem[] {
  return inOrder(sums, ([one], [other]) => byName(one, other));
}

function inOrder(sums: SumsByGroup, compare: (one: [Group, Sums], other: [Group, Sums]) => number): UsageItem[] {
  return [...sums].sort(compare).map(([group, own]) => ({ group, ...toWire(own) }));
}

function byName(one: Group, other: Group): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}

function sumsOf(sums: SumsByGroup, group: Group): Sums {
  const known = sums.get(group) ?? noSums();
  sums.set(group, known);
  return known;
}

const countNames = ["runs", "failed", "reused", "overruns"] as const;
const amountNames = ["saved", "charged", "cost", "rent", "overrun"] as const;

function noSums(): Sums {
  return { ...noRunSums(), rent: NO_MONEY };
}

function toWire({ runs, failed, reused, overruns, ...amounts }: Sums): UsageTotal {
  return {
    runs,
    failed,
    reused,
    saved: toMoney(amounts.saved),
    charged: toMoney(amounts.charged),
    cost: toMoney(amounts.cost),
    rent: toMoney(amounts.rent),
    overruns,
    overrun: toMoney(amounts.overrun),
  };
}
