const MS_OF_DAY = 86_400_000;

/** The number of the day since 1970 on which a period of `covers` begins or ends; NaN for a day that does not exist. */
export function dayOf(written: string, end: "from" | "to", today: number): number {
  if (written === "today") return today;
  const [, relative] = /^([+-]\d+) days?$/.exec(written) ?? [];
  if (relative !== undefined) return today + Number(relative);
  const [year = NaN, month, day] = written.split("-").map(Number);
  const first = Date.UTC(year, (month ?? 1) - 1, day ?? 1);
  if (day !== undefined || end === "from") return isOfMonth(first, month) ? first / MS_OF_DAY : NaN;
  const next = month === undefined ? Date.UTC(year + 1, 0, 1) : Date.UTC(year, month, 1);
  return isOfMonth(first, month) ? next / MS_OF_DAY - 1 : NaN;
}

/** A day or a month that does not exist becomes one of another month. */
function isOfMonth(time: number, month: number | undefined): boolean {
  return month === undefined || new Date(time).getUTCMonth() === month - 1;
}

/** The number of today's day since 1970, in UTC. */
export function dayNumber(time: number): number {
  return Math.floor(time / MS_OF_DAY);
}
