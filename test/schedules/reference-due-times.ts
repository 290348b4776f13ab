const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
  const fieldsOf = fieldsReader();
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
    for (let index = 0; index < wanted.length; index += 1) {
      const pattern = wanted[index];
      if (pattern === undefined) continue;
      if (pattern.fits(shown) && (pattern.isEveryHour || !isRepeated)) due[index]?.add(at);
      if (pattern.isEveryHour) continue;
      for (let gone = before + MINUTE_MS; gone < reading; gone += MINUTE_MS)
        if (pattern.fits(fieldsOf(gone))) due[index]?.add(at + (gone - reading) + forthMs);
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

interface Fields {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

/** Asks the calendar once a day: it is read for every minute of years. */
function fieldsReader(): (reading: number) => Fields {
  let [known, day, month, weekday] = [Number.NaN, 0, 0, 0];
  return (reading) => {
    const begin = Math.floor(reading / DAY_MS) * DAY_MS;
    if (begin !== known) {
      const date = new Date(begin);
      [known, day, month, weekday] = [begin, date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()];
    }
    const ofDayMs = reading - begin;
    const hour = Math.floor(ofDayMs / HOUR_MS);
    return { minute: Math.floor((ofDayMs - hour * HOUR_MS) / MINUTE_MS), hour, day, month, weekday };
  };
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
    fits: ({ minute, hour, day, month, weekday }) =>
      minutes[minute] === true &&
      hours[hour] === true &&
      days[day] === true &&
      months[month] === true &&
      weekdays[weekday] === true,
  };
}

/** Which numbers a field names, each at its own place. */
function members(field: string, least: number, most: number): readonly boolean[] {
  const found = Array.from({ length: most + 1 }, () => false);
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first, last] = range === "*" ? [least, most] : range.split("-").map(Number);
    for (let at = first ?? least; at <= (last ?? first ?? most); at += Number(step)) found[at] = true;
  }
  return found;
}
