import type { UsageItem, UsageTotal } from "../../shared/contract/usage.ts";
import { microDollars, toMoney } from "../../shared/micro-dollars.ts";
import type { RunFacts } from "../ledger/run-store.ts";

/** What a group came to; whole micro-dollars. */
export interface Sums {
  runs: number;
  failed: number;
  charged: number;
  cost: number;
  rent: number;
  overruns: number;
  overrun: number;
}

/** Null: runs without that tag, or made without a key. */
export type Group = string | null;

/** Sums by group. */
export type SumsByGroup = Map<Group, Sums>;

export function addRun(sums: SumsByGroup, group: Group, run: RunFacts): void {
  const own = sumsOf(sums, group);
  own.runs += 1;
  if (run.status === "FAILED" || run.status === "TIMED_OUT") own.failed += 1;
  own.charged += run.charged;
  own.cost += run.cost;
  if (run.overrun > 0) own.overruns += 1;
  own.overrun += run.overrun;
}

/** Rent is no run: it counts as charged, and once more by itself. */
export function addRent(sums: SumsByGroup, group: Group, amountMicroDollars: number): void {
  const own = sumsOf(sums, group);
  own.charged += amountMicroDollars;
  own.rent += amountMicroDollars;
}

/** All groups together; throws RangeError for a sum that is no safe integer. */
export function totalOf(sums: SumsByGroup): UsageTotal {
  const total = noSums();
  for (const own of sums.values()) {
    for (const name of sumNames) total[name] += own[name];
  }
  return toWire(total);
}

/** The dearest first, then the busiest, then by name. */
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

const sumNames = ["runs", "failed", "charged", "cost", "rent", "overruns", "overrun"] as const;

function noSums(): Sums {
  return { runs: 0, failed: 0, charged: 0, cost: 0, rent: 0, overruns: 0, overrun: 0 };
}

function toWire({ runs, failed, overruns, ...amounts }: Sums): UsageTotal {
  const money = (value: number) => toMoney(microDollars(value));
  return {
    runs,
    failed,
    charged: money(amounts.charged),
    cost: money(amounts.cost),
    rent: money(amounts.rent),
    overruns,
    overrun: money(amounts.overrun),
  };
}
