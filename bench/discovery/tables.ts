import { DEVELOPMENT, JUDGED } from "./collections.ts";
import { OURS, otherEngines } from "./engines/every-engine.ts";
import { CALIBRATED_WORDS, type FloorMeasurement, type Loading, type Measurement } from "./measurement.ts";
import { mean } from "./metrics.ts";
import { scales } from "./plan.ts";

/** A measurement with its row. */
export interface Measured extends Measurement {
  readonly row: string;
  readonly loading?: Loading;
}

/** All that was measured, as Markdown. Sections without a measurement are left out. */
export function toMarkdown(measured: readonly Measured[]): string {
  const sections = [
    qualityOverview(measured),
    ...JUDGED.map((subject) => collectionSection(measured, subject)),
    floorSection(measured),
    calibrationSection(measured),
    scaleSection(measured),
  ];
  return sections
    .filter((each) => each !== "")
    .join("\n")
    .trimEnd();
}

function qualityOverview(measured: readonly Measured[]): string {
  const columns = JUDGED.filter((subject) => measured.some((one) => one.subject === subject));
  if (columns.length === 0) return "";
  const rows = rowsOf(measured.filter(({ subject }) => columns.includes(subject)));
  const ndcgOf = (row: string, subject: string) =>
    measured.find((one) => one.row === row && one.subject === subject)?.quality?.ndcg10;
  const bestOther = (subject: string) => Math.max(...otherEngines.map((row) => ndcgOf(row, subject) ?? Number.NaN));
  const line = (name: string, valueOf: (subject: string) => number | undefined) => [
    name,
    ...columns.map((subject) => percent(valueOf(subject))),
    percent(meanOfSeven(valueOf)),
  ];
  const hasOthers = otherEngines.every((row) => rows.includes(row));
  return section("nDCG@10 × 100", [
    ["", ...columns, "mean of seven"],
    ...rows.map((row) => line(row, (subject) => ndcgOf(row, subject))),
    ...(hasOthers ? [line("best of the others", bestOther)] : []),
  ]);
}

/** `haystack` has the queries of two of the seven, and no part in their mean. */
function meanOfSeven(valueOf: (subject: string) => number | undefined): number | undefined {
  const values = DEVELOPMENT.flatMap((subject) => valueOf(subject) ?? []);
  return values.length === DEVELOPMENT.length ? mean(values) : undefined;
}

function collectionSection(measured: readonly Measured[], subject: string): string {
  const own = measured.filter((one) => one.subject === subject);
  const [first] = own;
  if (first === undefined) return "";
  const { endpoints, quality } = first;
  return section(`${subject}: ${count(endpoints)} endpoints, ${count(quality?.queries ?? 0)} queries`, [
    ["", "nDCG@10", "recall@10", "MRR@10", "p50 ms", "p99 ms", "build ms", "MB"],
    ...own.map((one) => [
      one.row,
      percent(one.quality?.ndcg10),
      percent(one.quality?.recall10),
      percent(one.quality?.mrr10),
      milliseconds(one.speed.p50),
      milliseconds(one.speed.p99),
      count(one.buildMs),
      megabytes(one.heldBytes),
    ]),
  ]);
}

function floorSection(measured: readonly Measured[]): string {
  const withFloor = measured.filter(({ floor }) => floor !== undefined);
  const ours = withFloor.filter(({ row }) => row === OURS);
  if (ours.length === 0) return "";
  const others = otherEngines.filter((row) => withFloor.some((one) => one.row === row));
  const line = (name: string, of: readonly Measured[], othersOf: (row: string) => readonly Measured[]) => [
    name,
    percent(emptyShare(floorsOf(of))),
    percent(emptyShare(floorsOf(of), "mash")),
    percent(lostShare(floorsOf(of))),
    percent(emptyShare(heldOutFloorsOf(of))),
    percent(lostShare(heldOutFloorsOf(of))),
    ...others.map((row) => percent(emptyShare(floorsOf(othersOf(row))))),
  ];
  const collections = ours.filter(({ subject }) => DEVELOPMENT.some((name) => name === subject));
  const isCollection = ({ subject }: Measured) => collections.some((one) => one.subject === subject);
  return section("Off-topic queries: % answered with nothing", [
    ["", OURS, "of these mash", "first right answer lost", "held out", "held out: lost", ...others],
    ...ours.map((one) =>
      line(one.subject, [one], (row) =>
        withFloor.filter((other) => other.row === row && other.subject === one.subject),
      ),
    ),
    ...(collections.length > 1
      ? [
          line("mean of the development sets", collections, (row) =>
            withFloor.filter((other) => other.row === row && isCollection(other)),
          ),
        ]
      : []),
  ]);
}

/** What was learned without the collection is measured, so that a word is kept on a catalog that nobody has seen. */
function calibrationSection(measured: readonly Measured[]): string {
  const ours = measured.filter(({ row, calibration }) => row === OURS && calibration !== undefined);
  if (ours.length === 0) return "";
  const line = (name: string, of: readonly Measured[]) => [
    name,
    ...CALIBRATED_WORDS.flatMap((word) => {
      const own = of.flatMap(({ calibration = [] }) => calibration.filter((one) => one.word === word));
      const judged = sum(own.map((one) => one.judged));
      const offTopic = count(sum(own.map((one) => one.offTopic)));
      if (word === "none") return [count(judged), offTopic];
      return [count(judged), percent(judged === 0 ? undefined : sum(own.map((one) => one.right)) / judged), offTopic];
    }),
  ];
  const heads = CALIBRATED_WORDS.flatMap((word) => [word, ...(word === "none" ? [] : ["right %"]), "off-topic"]);
  return section("What the best answer is called, how often it is judged right, and for how many off-topic queries", [
    ["", ...heads],
    ...ours.map((one) => line(one.subject, [one])),
    ...(ours.length > 1 ? [line("all", ours)] : []),
  ]);
}

function floorsOf(measured: readonly Measured[]): FloorMeasurement[] {
  return measured.flatMap(({ floor }) => floor ?? []);
}

function heldOutFloorsOf(measured: readonly Measured[]): FloorMeasurement[] {
  return measured.flatMap(({ heldOutFloor }) => heldOutFloor ?? []);
}

/** The mean over what was measured; of one kind of queries, or of all. */
function emptyShare(floors: readonly FloorMeasurement[], kind?: string): number | undefined {
  if (floors.length === 0) return undefined;
  return mean(
    floors.map(({ offTopic }) => {
      const asked = offTopic.filter((one) => kind === undefined || one.kind === kind);
      return sum(asked.map(({ empty }) => empty)) / sum(asked.map((one) => one.asked));
    }),
  );
}

/** Of the judged queries that the engine has a right answer to. */
function lostShare(floors: readonly FloorMeasurement[]): number | undefined {
  const judged = floors.flatMap((floor) => (floor.judged.found === 0 ? [] : floor.judged));
  return judged.length === 0 ? undefined : mean(judged.map(({ found, lost }) => lost / found));
}

function scaleSection(measured: readonly Measured[]): string {
  return scales
    .map((scale) => measured.filter(({ subject }) => subject === scale))
    .filter((at) => at.length > 0)
    .map((at) =>
      section(`${count(at[0]?.endpoints ?? 0)} endpoints, queries of 30 words`, [
        ["", "p50 ms", "p99 ms", "queries", "build s", "MB", "load s", "MB of the process"],
        ...at.map(({ row, speed, buildMs, heldBytes, loading }) => [
          row,
          milliseconds(speed.p50),
          milliseconds(speed.p99),
          count(speed.queries),
          (buildMs / 1_000).toFixed(1),
          megabytes(heldBytes),
          loading === undefined ? "–" : (loading.loadMs / 1_000).toFixed(2),
          loading === undefined ? "–" : megabytes(loading.residentBytes),
        ]),
      ]),
    )
    .join("\n");
}

function rowsOf(measured: readonly Measured[]): string[] {
  return [...new Set(measured.map(({ row }) => row))];
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return `### ${title}\n\n${table(rows)}\n`;
}

/** The first row is the head; the first column is text, the others are numbers. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

function percent(share: number | undefined): string {
  return share === undefined || Number.isNaN(share) ? "–" : (100 * share).toFixed(1);
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
