import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders to measure in lie beside this file, on a disk and not in memory; MKT_BENCH_DIR names another place. */
const workDir = process.env.MKT_BENCH_DIR ?? fileURLToPath(new URL("./dist/work", import.meta.url));

/** A number from the environment. */
export function setting(name, fallback) {
  return Number(process.env[name] ?? fallback);
}

/** Calls `use` with the path of a new folder, which is gone afterwards. */
export async function withFolder(use) {
  mkdirSync(workDir, { recursive: true });
  const path = mkdtempSync(join(workDir, "run-"));
  try {
    return await use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** So many clients do `turn` one after the other for the time given; how many turns there were in a second. */
export async function turnsPerSecond(clients, durationMs, turn) {
  const begin = performance.now();
  let turns = 0;
  const client = async (name) => {
    while (performance.now() - begin < durationMs) {
      await turn(name);
      turns += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  return turns / ((performance.now() - begin) / 1_000);
}

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Prints rows of cells, the first row as the head. */
export function printTable(rows) {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0].map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  for (const [index, row] of texts.entries()) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join("  "),
    );
    if (index === 0) console.log(widths.map((width) => "-".repeat(width)).join("  "));
  }
}
