import { countWords } from "../../shared/count-words.ts";
import type { CatalogProblem } from "../catalog/problems/catalog-problem.ts";
import type { Mismatch } from "./examples/rehearse-example.ts";

/** `unanswered`: the request was checked, and there is no recorded answer for the other checks. */
export type RehearsalOutcome = "passed" | "failed" | "unanswered";

export interface ExampleReport {
  readonly file: string;
  /** The line of the example, if it failed. */
  readonly line?: number;
  readonly provider: string;
  readonly endpoint: string;
  readonly example: string;
  readonly outcome: RehearsalOutcome;
  readonly findings: readonly Mismatch[];
}

export interface RehearsalReport {
  /** Files whose examples were played. */
  readonly files: readonly string[];
  readonly endpoints: number;
  /** Public names `provider/path` of endpoints without any example. */
  readonly withoutExamples: readonly string[];
  readonly examples: readonly ExampleReport[];
  /** What keeps files or endpoints out, as in `mkt catalog check`. */
  readonly problems: readonly CatalogProblem[];
  /** 0: nothing failed; 1: something did, or a file could not be read. */
  readonly exitCode: 0 | 1;
}

/** The report for people: what failed, then counts. Ends with a line break. */
export function renderRehearsal({ files, endpoints, withoutExamples, examples, problems }: RehearsalReport): string {
  const failed = examples.filter(({ outcome }) => outcome === "failed");
  const number = (outcome: RehearsalOutcome) => examples.filter((example) => example.outcome === outcome).length;
  const unanswered = number("unanswered");
  return [
    ...problems.map(
      ({ file, line, path, rule, message }) => `${placeOf(file, line)}  ${path || "(file)"}  [${rule}]\n    ${message}`,
    ),
    ...failed.map(wordFailure),
    `${countWords(files.length, "provider")} with ${countWords(endpoints, "endpoint")}: ${countWords(examples.length, "example")}, ${number("passed")} passed, ${failed.length} failed.`,
    ...(unanswered === 0
      ? []
      : [
          `${unanswered} without a recorded answer: what was sent for them fits the manifest, nothing else was checked.`,
        ]),
    ...(withoutExamples.length === 0 ? [] : [`${countWords(withoutExamples.length, "endpoint")} without an example.`]),
    ...(problems.length === 0
      ? []
      : [`${countWords(problems.length, "problem")} of files; more of them: mkt catalog check`]),
    "",
  ].join("\n");
}

function wordFailure({ file, line, provider, endpoint, example, findings }: ExampleReport): string {
  const lines = findings.map(({ what, expected, came }) => {
    if (expected === undefined) return `    ${what}`;
    return `    ${what}: expected ${expected}${came === undefined ? "" : `, came ${came}`}`;
  });
  return [`${placeOf(file, line)}  ${provider}${endpoint}  "${example}"`, ...lines].join("\n");
}

function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}
