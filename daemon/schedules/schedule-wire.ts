import type { Schedule, ScheduleOccurrence } from "../../shared/contract/schedules.ts";
import type { RunStatus } from "../../shared/contract/runs.ts";
import { atLeastZero, subtract, toMoney } from "../../shared/micro-dollars.ts";
import type { Occurrence, ScheduleState } from "../ledger/records/schedule-records.ts";
import { windowEnd } from "../ledger/money/spend-windows.ts";
import type { Spending } from "../ledger/transaction/money-reads.ts";

export interface ShownSchedule {
  readonly state: ScheduleState;
  /** ISO 8601. */
  readonly next: readonly string[];
  /** Of its budget's current window; absent without a budget. */
  readonly spending?: Spending | undefined;
  /** The actor that it acted as before the change that is answered, if that was another one. */
  readonly takenOverFrom?: string;
}

export function toSchedule({ state, next, spending, takenOverFrom }: ShownSchedule): Schedule {
  const { schedule, actsAs, pause, failures, updatedAt, revision = 0 } = state;
  const { workspaceId: _workspaceId, maxCost, budget: _budget, ...facts } = schedule;
  return {
    ...facts,
    ...(maxCost !== undefined && { maxCost: { value: maxCost, currency: "USD" } }),
    status: pause === undefined ? "ACTIVE" : "PAUSED",
    ...(pause !== undefined && { pause }),
    next: [...next],
    ...(spending !== undefined && { budget: toBudget(state, spending) }),
    failures,
    actsAs: actsAs.actor,
    ...(takenOverFrom !== undefined && { takenOverFrom }),
    revision,
    updatedAt,
  };
}

function toBudget(
  { schedule }: ScheduleState,
  { spent, held, windowStart }: Spending,
): NonNullable<Schedule["budget"]> {
  const { budget } = schedule;
  if (budget === undefined) throw new Error(`schedule ${schedule.scheduleId} has no budget`);
  return {
    amount: toMoney(budget.limitMicroDollars),
    period: budget.period,
    spent: toMoney(spent),
    held: toMoney(held),
    left: toMoney(atLeastZero(subtract(budget.limitMicroDollars, spent, held))),
    resetsAt: windowEnd(budget.period, windowStart),
  };
}

export function toOccurrence({ at, runStatus, ...facts }: Occurrence): ScheduleOccurrence {
  return { ...facts, decidedAt: at, ...(runStatus !== undefined && { runStatus: runStatus as RunStatus }) };
}
