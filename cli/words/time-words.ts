const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** Further away than this the day says more than how long ago it was. */
const NEAR_DAYS = 7;

/** For a list: `just now`, `3 min ago`, `in 5 h`; from a week on the day in the zone of this machine, `2026-03-01`. */
export function whenWords(instant: string, nowMs = Date.now()): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return instant;
  return Math.abs(nowMs - ms) < NEAR_DAYS * DAY ? nearWords(ms, nowMs) : dayWords(instant);
}

/** The day in the zone of this machine: `2026-03-01`. */
export function dayWords(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  return [String(date.getFullYear()).padStart(4, "0"), two(date.getMonth() + 1), two(date.getDate())].join("-");
}

/** The time of the day in the zone of this machine: `10:30:12`. */
export function clockWords(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime())
    ? instant
    : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

/** To the second, in the zone of this machine, which it names: `2026-03-01 10:30:12 +01:00`. Flags take it as it stands. */
export function exactTime(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  return `${dayWords(instant)} ${clockWords(instant)} ${zoneWords(date)}`;
}

/** For one thing that is looked at: `2026-03-01 10:30:12 +01:00 (3 min ago)`. */
export function timeWords(instant: string, nowMs = Date.now()): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return instant;
  const isNear = Math.abs(nowMs - ms) < NEAR_DAYS * DAY;
  return isNear ? `${exactTime(instant)} (${nearWords(ms, nowMs)})` : exactTime(instant);
}

function nearWords(ms: number, nowMs: number): string {
  const span = Math.abs(nowMs - ms);
  // A clock that is a little behind the service's makes nothing happen in the future.
  if (span < MINUTE) return ms > nowMs + 10 * SECOND ? "in a moment" : "just now";
  const [count, unit] = span < HOUR ? [span / MINUTE, "min"] : span < DAY ? [span / HOUR, "h"] : [span / DAY, "d"];
  const words = `${Math.floor(count)} ${unit}`;
  return ms > nowMs ? `in ${words}` : `${words} ago`;
}

function zoneWords(date: Date): string {
  const east = -date.getTimezoneOffset();
  if (east === 0) return "UTC";
  const minutes = Math.abs(east);
  return `${east < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
