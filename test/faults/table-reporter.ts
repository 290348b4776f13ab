import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Trial } from "./trial.ts";

/** Prints what the fault suite tried, how often, and what was lost. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows: string[][] = [["tried", "how often", "lost", ""]];
    for (const module of modules) {
      for (const test of module.children.allTests()) rows.push(...rowsOf(test));
    }
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    const lines = rows.map(([what = "", tried = "", lost = "", note = ""]) =>
      [what.padEnd(widths[0] ?? 0), tried.padStart(widths[1] ?? 0), lost.padStart(widths[2] ?? 0), note]
        .join("  ")
        .trimEnd(),
    );
    process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function rowsOf(test: TestCase): string[][] {
  const result = test.result();
  const trials: readonly Trial[] = test.meta().trials ?? [];
  if (result.state === "skipped") return [[test.name, "0", "-", `skipped: ${result.note ?? ""}`]];
  if (result.state === "failed") return [...trials.map(rowOf), [test.name, "", "", "FAILED"]];
  return trials.map(rowOf);
}

function rowOf({ what, tried, lost, note = "" }: Trial): string[] {
  return [what, tried.toLocaleString("en"), lost.toLocaleString("en"), note];
}
