const SECOND = 1_000;
const HALF_MINUTE = 30 * SECOND;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The whole time, for who wants to know exactly. */
export function fullTime(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(iso));
}

/** `14:02`, of another day with its date. */
export function shortTime(iso: string, now: number): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(
    undefined,
    isToday ? { timeStyle: "medium" } : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  ).format(date);
}

/**
 * `3 min ago`, `in 2 h`; `now` for less than a minute, since what is shown moves on only twice in one: what has just happened
 * may be half a minute ahead of it.
 */
export function relativeTime(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  const size = Math.abs(ms);
  const format = new Intl.RelativeTimeFormat(undefined, { style: "short", numeric: "auto" });
  if (size < MINUTE) return ms > HALF_MINUTE ? format.format(1, "minute") : format.format(0, "second");
  if (size < HOUR) return format.format(Math.round(ms / MINUTE), "minute");
  if (size < 2 * DAY) return format.format(Math.round(ms / HOUR), "hour");
  return format.format(Math.round(ms / DAY), "day");
}

/** A UTC day, `2026-11-23`, as people of the reader's place write it. */
export function dayText(day: string): string {
  return new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** The UTC day that a time is in. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
