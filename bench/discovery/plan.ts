import { ANALYSIS_PARTS } from "./analysis-parts.ts";
import { BIG, JUDGED } from "./collections.ts";
import { OURS, otherEngines, ourEngines, without } from "./engines/every-engine.ts";
import type { MeasurementRequest } from "./measurement.ts";
import { type Places, STARTER } from "./subject.ts";

/** Ours with what it is delivered with; the other rows of ours leave out what was learned from the collection at hand. */
export const AS_SHIPPED = `${OURS} as shipped`;

/** How many endpoints the speed is measured at; the others not at all of these, as they take their time. */
const SCALES = ["10000", BIG, "100000"];

/** Everything that can be measured, in the order in which it is told. */
export const subjects: readonly string[] = [...JUDGED, STARTER, ...SCALES];
export const scales: readonly string[] = SCALES;

export interface PlanOptions {
  /** Subjects; all when left out. */
  readonly only?: readonly string[] | undefined;
  /** Rows of the tables; all when left out. */
  readonly engines?: readonly string[] | undefined;
  /** A quarter of the queries, nothing above 10,000 endpoints, no parts switched off. */
  readonly quick: boolean;
}

/** One measurement with its row in the tables. */
export interface Planned {
  readonly row: string;
  readonly request: MeasurementRequest;
  /** Whether what was built is kept and loaded again. */
  readonly isLoaded: boolean;
  /** The module of the analysis that the program that measures is made without. */
  readonly withoutModule?: string;
}

/** Throws for a name that nothing has. */
export function planMeasurements(places: Places, { only, engines, quick }: PlanOptions): Planned[] {
  checkNames("collection", only, subjects);
  checkNames("engine", engines, rowsOf(JUDGED[0] ?? ""));
  const chosen = subjects.filter((name) => only?.includes(name) ?? !(quick && scales.indexOf(name) > 0));
  return chosen.flatMap((subject) =>
    rowsOf(subject)
      .filter((row) => engines?.includes(row) ?? !(quick && row !== OURS && row.startsWith(OURS)))
      .map((row) => ({
        row,
        request: requestOf(subject, row, { ...places, quick }),
        isLoaded: row === OURS && scales.includes(subject),
        ...withoutModuleOf(row),
      })),
  );
}

function withoutModuleOf(row: string): Pick<Planned, "withoutModule"> {
  const part = Object.entries(ANALYSIS_PARTS).find(([name]) => row === without(name));
  return part === undefined ? {} : { withoutModule: part[1] };
}

/** Parts are switched off where it is judged what they bring. */
function rowsOf(subject: string): string[] {
  const [ours, ...withoutParts] = ourEngines;
  if (subject === BIG) return [OURS];
  if (!JUDGED.includes(subject)) return [OURS, ...otherEngines];
  return [...(ours === undefined ? [] : [ours]), AS_SHIPPED, ...withoutParts, ...otherEngines];
}

function requestOf(
  subject: string,
  row: string,
  { quick, ...places }: Places & { quick: boolean },
): MeasurementRequest {
  const isJudged = JUDGED.includes(subject);
  const isOurs = ourEngines.includes(row);
  return {
    ...places,
    subject,
    engine: row === AS_SHIPPED ? OURS : row,
    ...(isJudged && isOurs && { leaveOut: subject }),
    everyQuery: quick ? 4 : 1,
    floor: row === OURS || (otherEngines.includes(row) && !scales.includes(subject)),
    speedMs: scales.includes(subject) ? 8_000 : 800,
  };
}

function checkNames(what: string, given: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = given?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no ${what} "${unknown}"; there are ${known.join(", ")}`);
}
