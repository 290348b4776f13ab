import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Trial } from "../faults/trial.ts";
import { isOf, type Row, rows } from "./rows.ts";

/** Prints a line for each row of {@link rows}: how many tests ran, how often they tried, how many failed; then what failed. */
export default class RowsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test): RanTest => {
        const file = relative(process.cwd(), module.moduleId);
        return { file, title: test.fullName.replaceAll(" > ", " "), test };
      }),
    );
    const lines = rows.map((row) => lineOf(row, tests));
    const broken = modules
      .filter((module) => module.errors().length > 0)
      .map(({ moduleId }) => `${moduleId} did not load`);
    const unproven = rows.flatMap((row) => untried(row, tests));
    process.stdout.write(`\n${table([["row", "threat", "tests", "tried", "failed", "skipped"], ...lines])}\n`);
    for (const said of [...unproven, ...broken, ...notesOf(tests)]) process.stdout.write(`${said}\n`);
    if (unproven.length + broken.length > 0) process.exitCode = 1;
  }
}

interface RanTest {
  readonly file: string;
  /** Its full title, the `describe`s first. */
  readonly title: string;
  readonly test: TestCase;
}

function lineOf({ id, threat, tests }: Row, all: readonly RanTest[]): string[] {
  const own = all.filter((one) => tests.some((listed) => isOf(listed, one)));
  const count = (state: string) => own.filter(({ test }) => test.result().state === state).length;
  const ran = count("passed") + count("failed");
  const tried = own.reduce((sum, { test }) => sum + triesOf(test), 0);
  return [id, threat, ...[ran, tried, count("failed"), count("skipped")].map((number) => number.toLocaleString("en"))];
}

/** What a row lists and is not there, and a row of which nothing ran; a test that was skipped is told beside. */
function untried({ id, tests }: Row, all: readonly RanTest[]): string[] {
  const own = all.filter((one) => tests.some((listed) => isOf(listed, one)));
  if (own.every(({ test }) => test.result().state === "skipped")) return [`${id}: none of its tests ran`];
  return tests.flatMap(({ file, named = [""] }) =>
    named
      .filter((title) => !all.some((one) => isOf({ file, named: [title] }, one)))
      .map((title) => `${id}: no test ran of ${file}${title && ` that begins with "${title}"`}`),
  );
}

/** What a test says that it tried; a test that does not say is one try. */
function triesOf(test: TestCase): number {
  if (test.result().state === "skipped") return 0;
  const trials: readonly Trial[] = test.meta().trials ?? [];
  return trials.length === 0 ? 1 : trials.reduce((sum, { tried }) => sum + tried, 0);
}

function notesOf(tests: readonly RanTest[]): string[] {
  return tests.flatMap(({ file, title, test }) => {
    const result = test.result();
    if (result.state === "failed") return [`FAILED ${file}: ${title}`];
    if (result.state === "skipped") return [`skipped ${file}: ${title}${result.note ? ` (${result.note})` : ""}`];
    return [];
  });
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}
