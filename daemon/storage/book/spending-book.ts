import type { WorkspaceId } from "../../base/ids.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { add, negate, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { balanceAccount, movedOn } from "../../ledger/money/postings.ts";
import { PERIODS, type SpendPeriod, windowStart } from "../../ledger/money/spend-windows.ts";
import type { ResourceLine } from "../../ledger/lines/resource-lines.ts";
import type { RunLine } from "../../ledger/lines/run-lines.ts";
import type { Spending } from "../../ledger/transaction/money-reads.ts";

/**
 * What every workspace and key has spent and holds in its current window of each period. It is kept even without
 * budgets, so that a new budget knows at once what has been spent in its window so far.
 */
export interface SpendingBook {
  /** `ws:<id>:<period>`, `key:<id>:<period>` or `schedule:<id>:<period>`. */
  readonly windows: Map<string, CountedSpending>;
  /** The latest moment at which a run was metered; windows never go back before it. */
  latestAt: string;
}

/** Counted in place: eight windows change with each line of a run. Whoever reads one gets a copy. */
type CountedSpending = { -readonly [Name in keyof Spending]: Spending[Name] };

export function emptySpendingBook(): SpendingBook {
  return { windows: new Map(), latestAt: "" };
}

/** Whose spending is counted, with the names of its windows. */
export interface Subject {
  readonly names: Readonly<Record<SpendPeriod, string>>;
}

export function readSpending(book: SpendingBook, { names }: Subject, period: SpendPeriod, at: string): Spending {
  const start = windowStart(period, at);
  const known = book.windows.get(names[period]);
  return known?.windowStart === start ? { ...known } : { windowStart: start, spent: NO_MONEY, held: NO_MONEY };
}

export function workspaceSubject(workspaceId: WorkspaceId): Subject {
  return workspaces.getOrMake(workspaceId, () => subjectOf(`ws:${workspaceId}`));
}

export function keySubject(keyId: string): Subject {
  return keys.getOrMake(keyId, () => subjectOf(`key:${keyId}`));
}

export function scheduleSubject(scheduleId: string): Subject {
  return subjectOf(`schedule:${scheduleId}`);
}

/** Subjects whose names are kept: each line of a run looks for the same eight windows in two books, and as text they were its garbage. */
const MOST_SUBJECTS = 10_000;
const workspaces = new LruCache<string, Subject>(MOST_SUBJECTS);
const keys = new LruCache<string, Subject>(MOST_SUBJECTS);

function subjectOf(subject: string): Subject {
  const names = Object.fromEntries(PERIODS.map((period) => [period, `${subject}:${period}`]));
  return { names: names as Record<SpendPeriod, string> };
}

/** A deleted schedule spends nothing more. What its last runs still hold is released to nobody. */
export function forgetSchedule(book: SpendingBook, scheduleId: string): void {
  const { names } = scheduleSubject(scheduleId);
  for (const period of PERIODS) book.windows.delete(names[period]);
}

/**
 * A run holds when it is accepted and spends when it is done, both in the windows of its `meteredAt`; rent spends at once.
 * `keyIds` are the key of the run and those that limit it.
 */
export function applySpending(book: SpendingBook, line: RunLine | ResourceLine, keyIds: readonly string[]): void {
  if (line.t === "resource.changed") {
    const paid = negate(movedOn(balanceAccount(line.ws), line.led));
    if (paid > 0) move(book, [workspaceSubject(line.ws)], line.at, { spent: paid, held: NO_MONEY });
    return;
  }
  if (line.t !== "run.accepted" && line.t !== "run.done") return;
  const { workspaceId, meteredAt, heldMicroDollars, billing, status, schedule } = line.rec;
  // One that a control refused at once held nothing; one that nobody approved gives its hold back.
  if (meteredAt === undefined || (status === "BLOCKED" && heldMicroDollars === 0)) return;
  const subjects = [workspaceSubject(workspaceId), ...keyIds.map(keySubject)];
  if (schedule !== undefined) subjects.push(scheduleSubject(schedule.scheduleId));
  if (line.t === "run.accepted") move(book, subjects, meteredAt, { spent: NO_MONEY, held: heldMicroDollars });
  else move(book, subjects, meteredAt, { spent: billing?.reported ?? NO_MONEY, held: negate(heldMicroDollars) });
}

function move(
  book: SpendingBook,
  subjects: readonly Subject[],
  at: string,
  by: Pick<Spending, "spent" | "held">,
): void {
  if (at > book.latestAt) book.latestAt = at;
  for (const period of PERIODS) {
    const start = windowStart(period, at);
    for (const { names } of subjects) {
      const name = names[period];
      const known = book.windows.get(name);
      if (known === undefined || known.windowStart < start) {
        // The release of a hold of an earlier window does not affect this one.
        if (by.held >= 0) book.windows.set(name, { windowStart: start, ...by });
      } else if (known.windowStart === start) {
        // Both sums first: one that is too large throws, and then neither has changed.
        const [spent, held] = [add(known.spent, by.spent), add(known.held, by.held)];
        known.spent = spent;
        known.held = held;
      }
    }
  }
}
