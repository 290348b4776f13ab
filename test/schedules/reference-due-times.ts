const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * Due times found the slow way, which shares nothing with the service: the clocks are read in every minute, and each rule is
 * applied to what they show. Patterns have five fields of numbers, `*`, steps, ranges and lists; moments are milliseconds since the
 * epoch, `until` is not included.
 */
export function referenceDueTimes(
  patterns: readonly string[],
  timeZone: string,
  { from, until }: { readonly from: number; readonly until: number },
): number[][] {
  const readingAt = readerOf(timeZone);
  const wanted = patterns.map(parse);
  const due = patterns.map(() => new Set<number>());
  const begin = from - 26 * 60 * MINUTE_MS;
  let before = readingAt(begin - MINUTE_MS);
  let latest = before;
  for (let at = begin; at < until; at += MINUTE_MS) {
    const reading = readingAt(at);
    const isRepeated = reading <= latest;
    latest = Math.max(latest, reading);
    const shown = fieldsOf(reading);
    // What the clocks skip is wanted as much later as they were set forth.
    const forthMs = reading - before - MINUTE_MS;
    const skipped: number[] = [];
    for (let gone = before + MINUTE_MS; gone < reading; gone += MINUTE_MS) skipped.push(gone);
    for (const [index, pattern] of wanted.entries()) {
      if (pattern.fits(shown) && (pattern.isEveryHour || !isRepeated)) due[index]?.add(at);
      if (pattern.isEveryHour) continue;
      for (const gone of skipped) if (pattern.fits(fieldsOf(gone))) due[index]?.add(at + (gone - reading) + forthMs);
    }
    before = reading;
  }
  return due.map((times) => [...times].filter((at) => at >= from && at < until).toSorted((a, b) => a - b));
}

/** What the clocks show, written as if it were UTC. They change at quarters of an hour only. */
function readerOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  let quarter = -1;
  let offset = 0;
  return (at) => {
    const now = Math.floor(at / QUARTER_MS);
    if (now !== quarter) {
      quarter = now;
      // "2027-03-28 02:30:00"
      offset = Date.parse(`${format.format(now * QUARTER_MS).replace(" ", "T")}Z`) - now * QUARTER_MS;
    }
    return at + offset;
  };
}

type Fields = readonly [minute: number, hour: number, day: number, month: number, weekday: number];

function fieldsOf(reading: number): Fields {
  const date = new Date(reading);
  return [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()];
}

function parse(cron: string): { readonly isEveryHour: boolean; fits(fields: Fields): boolean } {
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = cron.split(" ");
  const minutes = members(first, 0, 59);
  const hours = members(second, 0, 23);
  const days = members(third, 1, 31);
  const months = members(fourth, 1, 12);
  const weekdays = members(fifth, 0, 6);
  return {
    isEveryHour: second === "*",
    fits: ([minute, hour, day, month, weekday]) =>
      minutes.has(minute) && hours.has(hour) && days.has(day) && months.has(month) && weekdays.has(weekday),
  };
}

function members(field: string, least: number, most: number): Set<number> {
  const found = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first, last] = range === "*" ? [least, most] : range.split("-").map(Number);
    for (let at = first ?? least; at <= (last ?? first ?? most); at += Number(step)) found.add(at);
  }
  return found;
}
