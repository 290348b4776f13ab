import type { Period } from "../../shared/contract/common.ts";

/*
 * The calendar of rents, in UTC. Period n of a rent lasts from boundary n - 1 to boundary n; every boundary is counted
 * from the start, so that a rent that began on the 31st ends on the 28th of February and on the 31st of March again.
 *
 *   unit      boundary n             lead (charged so long before the end)   grace (suspended so long before it is lost)
 *   MINUTE    start + n × minutes    a tenth of the period                   one period, at most seven days
 *   DAY       start + n × days       a tenth of the period                   one period, at most seven days
 *   MONTH     the same day, n × months later; the month's last day where it has no such day   3 days   7 days
 *
 * docs/contract.md, "Rent".
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONTH_LEAD_MS = 3 * DAY_MS;
const MOST_GRACE_MS = 7 * DAY_MS;

/** The instant (ISO 8601) at which `periods` periods since `startedAt` are over. */
export function periodBoundary(startedAt: string, { unit, count }: Period, periods: number): string {
  const start = new Date(startedAt);
  if (unit !== "MONTH") {
    return new Date(start.getTime() + periods * count * (unit === "DAY" ? DAY_MS : MINUTE_MS)).toISOString();
  }
  const month = start.getUTCMonth() + periods * count;
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const moved = new Date(start);
  moved.setUTCFullYear(start.getUTCFullYear(), month, Math.min(start.getUTCDate(), lastDay));
  return moved.toISOString();
}

/** The number of the first period after `cycle` that is not over at `nowMs`: those that nobody paid in time are left out. */
export function nextCycle(startedAt: string, period: Period, cycle: number, nowMs: number): number {
  const isOver = (candidate: number) => Date.parse(periodBoundary(startedAt, period, candidate)) <= nowMs;
  if (!isOver(cycle + 1)) return cycle + 1;
  let over = cycle + 1;
  let open = over + 1;
  while (isOver(open)) {
    over = open;
    open = cycle + (open - cycle) * 2;
  }
  while (open - over > 1) {
    const middle = over + Math.floor((open - over) / 2);
    if (isOver(middle)) over = middle;
    else open = middle;
  }
  return open;
}

/** How long before the end of the paid period the next one is charged. */
export function renewLeadMs({ unit, count }: Period): number {
  return unit === "MONTH" ? MONTH_LEAD_MS : lengthMs(unit, count) / 10;
}

/** The lead in the words of the contract. */
export function renewLead(period: Period): { unit: string; count: number } {
  return period.unit === "MONTH"
    ? { unit: "DAY", count: MONTH_LEAD_MS / DAY_MS }
    : { unit: "MINUTE", count: renewLeadMs(period) / MINUTE_MS };
}

/** How long a resource whose paid period is over waits for its rent before it is given back. */
export function unpaidGraceMs({ unit, count }: Period): number {
  return unit === "MONTH" ? MOST_GRACE_MS : Math.min(lengthMs(unit, count), MOST_GRACE_MS);
}

function lengthMs(unit: "MINUTE" | "DAY", count: number): number {
  return count * (unit === "DAY" ? DAY_MS : MINUTE_MS);
}
