import { dayNumber } from "../../../catalog/entries/covered-days.ts";

/** The days that a query is about, by number since 1970, both included. */
export interface AskedDays {
  readonly from: number;
  readonly to: number;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = "(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";
const DAY_MONTH_YEAR = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? ((?:1[5-9]|20)\\d\\d)\\b`, "i");
const MONTH_DAY_YEAR = new RegExp(`\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? ((?:1[5-9]|20)\\d\\d)\\b`, "i");
const MONTH_YEAR = new RegExp(`\\b${MONTH} ((?:1[5-9]|20)\\d\\d)\\b`, "i");
const ISO = /\b((?:1[5-9]|20)\d\d)-(\d\d)-(\d\d)\b/;
/** Not a part of a number, of a name or of a version. */
const YEARS =
  /(?<![\w.,$€£+/-])(?:1[5-9]|20)\d\d(?:s\b)?(?![\w,.%-]*\d|\s*(?:[$€£%]|dollars|euros?|people|km|m\b|kg|items|rows|words))/g;

/** Days relative to today, by what is said. The first that fits counts. */
const RELATIVE: readonly (readonly [said: RegExp, from: number, to: number])[] = [
  [/\byesterday\b|\blast night\b/, -1, -1],
  [/\blast (?:week|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/, -14, -1],
  [/\blast month\b/, -62, -1],
  [/\btomorrow\b/, 1, 1],
  [/\bnext (?:few )?(?:days?|hours?)\b|\bcoming (?:\w+ )?days?\b/, 0, 3],
  [/\b(?:this|the|next|coming) (?:weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/, 1, 7],
  [/\bon (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/, 1, 7],
  [/\bnext week\b|\bcoming week\b/, 1, 9],
  [/\bright now\b|\bat the moment\b|\bcurrently\b|\bat present\b/, 0, 0],
];

/** Undefined when it names no time. */
export function readDays(q: string, today: number): AskedDays | undefined {
  return dateIn(q) ?? yearsIn(q) ?? relativeDays(q, today);
}

function dateIn(q: string): AskedDays | undefined {
  const [, day, month, year] = DAY_MONTH_YEAR.exec(q) ?? [];
  if (day !== undefined) return oneDay(year, month, day);
  const [, monthFirst, itsDay, itsYear] = MONTH_DAY_YEAR.exec(q) ?? [];
  if (monthFirst !== undefined) return oneDay(itsYear, monthFirst, itsDay);
  const [, isoYear, isoMonth, isoDay] = ISO.exec(q) ?? [];
  if (isoYear !== undefined) return oneDay(isoYear, MONTHS[Number(isoMonth) - 1], isoDay);
  const [, only, ofYear] = MONTH_YEAR.exec(q) ?? [];
  if (only === undefined) return undefined;
  const place = monthPlace(only);
  return { from: dayNumber(Date.UTC(Number(ofYear), place, 1)), to: dayNumber(Date.UTC(Number(ofYear), place + 1, 0)) };
}

function oneDay(year: string | undefined, month: string | undefined, day: string | undefined): AskedDays {
  const number = dayNumber(Date.UTC(Number(year), monthPlace(month), Number(day)));
  return { from: number, to: number };
}

function monthPlace(month = ""): number {
  return MONTHS.indexOf(month.slice(0, 3).toLowerCase());
}

function yearsIn(q: string): AskedDays | undefined {
  const years = [...q.matchAll(YEARS)].map(([year]) => Number.parseInt(year, 10));
  if (years.length === 0) return undefined;
  const isOpen = /\bsince (?:1[5-9]|20)\d\d/i.test(q);
  return {
    from: dayNumber(Date.UTC(Math.min(...years), 0, 1)),
    to: isOpen ? Number.POSITIVE_INFINITY : dayNumber(Date.UTC(Math.max(...years), 11, 31)),
  };
}

function relativeDays(q: string, today: number): AskedDays | undefined {
  const text = q.toLowerCase();
  const found = RELATIVE.find(([said]) => said.test(text));
  return found && { from: today + found[1], to: today + found[2] };
}
