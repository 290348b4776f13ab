import type { DoctorReport, ReportedFinding } from "./doctor.ts";

/** The report for people: a table, then every finding with its location, then what to do. Ends with a line break. */
export function renderReport(report: DoctorReport): string {
  return [...table(report), "", ...report.findings.flatMap(lines), ...repairs(report), ...verdict(report), ""].join(
    "\n",
  );
}

function table({ checks }: DoctorReport): string[] {
  const rows = checks.map(({ check, looked, findings }) => [
    check,
    looked,
    findings === 0 ? "ok" : `${findings} found`,
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function lines({ check, kind, file, row, offset, message, repair }: ReportedFinding): string[] {
  const place = [file, row, ...(offset === undefined ? [] : [`byte ${offset}`])].filter((part) => part !== undefined);
  const where = place.length === 0 ? "" : `  ${place.join(", ")}`;
  const help = repair === undefined ? [] : [`    Repair: ${repair}`];
  return [`${kind === "damage" ? "DAMAGE" : "note"}  [${check}]${where}`, `    ${message}`, ...help, ""];
}

function repairs({ repaired, copy }: DoctorReport): string[] {
  if (copy === undefined) return [];
  return [`Repaired, after everything was copied to ${copy}:`, ...repaired.map((words) => `  ${words}`), ""];
}

function verdict({ findings, exitCode, copy, needsPerson }: DoctorReport): string[] {
  if (exitCode === 0) return ["Nothing is wrong."];
  if (needsPerson) {
    return [
      "Something is wrong that cannot be repaired without losing what was acknowledged, so nothing is changed.",
      "Restore the newest backup that `mkt doctor --data-dir <backup>` finds nothing wrong with, and keep this folder:",
      "what happened since then is in it, readable line by line.",
    ];
  }
  if (copy === undefined && findings.some(({ repair }) => repair !== undefined)) {
    return ["Repair it with: mkt doctor --repair --copy <new folder>"];
  }
  return ["Something is wrong that only a person can put right; each finding says what."];
}
