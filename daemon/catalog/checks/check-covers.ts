import type { DocumentPath } from "../../manifest/document-path.ts";
import type { Covers } from "../../manifest/parts/covers.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { dayOf } from "../entries/covered-days.ts";

// Not before a file is checked: names take a twentieth of a start to load.
const nameCountry = namesOf("region");
const nameLanguage = namesOf("language");

/** Codes that Intl names although they are no countries of ISO 3166. */
const NOT_COUNTRIES: Readonly<Record<string, string>> = {
  UK: "write GB for the United Kingdom",
  EU: "list the countries of the European Union",
  EZ: "list the countries of the euro area",
  UN: 'write "world"',
  ZZ: 'write "world", or leave regions out',
};

function namesOf(type: "region" | "language"): (code: string) => string | undefined {
  let names: Intl.DisplayNames | undefined;
  return (code) => (names ??= new Intl.DisplayNames("en", { type, fallback: "none" })).of(code);
}

/** A code or a period that covers nothing would hide the endpoint from those who look for it. */
export function checkCovers(problems: ProblemList, place: DocumentPath, covers: Covers | undefined): void {
  if (covers === undefined) return;
  const { regions = "world", period, languages = [] } = covers;
  for (const [index, code] of regions === "world" ? [] : regions.entries()) {
    const advice = NOT_COUNTRIES[code] ?? (nameCountry(code) === undefined ? "use its ISO 3166 code" : undefined);
    if (advice === undefined) continue;
    problems.report([...place, "regions", index], "covers", `there is no country ${code}: ${advice}`);
  }
  for (const [index, code] of languages.entries()) {
    if (nameLanguage(code) !== undefined) continue;
    const message = `there is no language ${code}: use its ISO 639 code, such as en`;
    problems.report([...place, "languages", index], "covers", message);
  }
  checkPeriod(problems, [...place, "period"], period);
}

/** Any day serves: what is relative to it is not compared with what is fixed. */
const SOME_DAY = 0;

function checkPeriod(problems: ProblemList, place: DocumentPath, period: Covers["period"]): void {
  for (const end of ["from", "to"] as const) {
    const written = period?.[end];
    if (written === undefined || !Number.isNaN(dayOf(written, end, SOME_DAY))) continue;
    problems.report([...place, end], "covers", `there is no day ${written}`);
  }
  const { from, to } = period ?? {};
  if (from === undefined || to === undefined || isRelative(from) !== isRelative(to)) return;
  if (dayOf(from, "from", SOME_DAY) <= dayOf(to, "to", SOME_DAY)) return;
  problems.report(place, "covers", `it ends (${to}) before it begins (${from}): exchange from and to`);
}

function isRelative(end: string): boolean {
  return !/^\d/.test(end);
}
