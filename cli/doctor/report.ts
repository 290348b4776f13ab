import type { DoctorCheck, Finding, Patient } from "./check.ts";

/** What `mkt doctor --json` prints. */
export interface DoctorReport {
  checks: readonly { check: string; state: "ok" | "found" | "skipped"; saw: string }[];
  findings: readonly (Finding & { check: string })[];
}

/**
 * Runs all checks, one after the other. If a check itself fails, that is a finding, and the others continue. `toOwn`
 * writes a command for the service of this invocation.
 */
export async function lookAtAll(
  checks: readonly DoctorCheck[],
  patient: Patient,
  toOwn: (command: string) => string,
): Promise<DoctorReport> {
  const report = { checks: [] as DoctorReport["checks"][number][], findings: [] as (Finding & { check: string })[] };
  for (const { name, look } of checks) {
    const { saw, findings, skipped } = await look(patient).catch(async (error: unknown) => {
      const { message, next } = await patient.describe(error);
      return {
        saw: "could not be checked",
        findings: [{ message, next: next ?? "mkt doctor --debug" }],
        skipped: undefined,
      };
    });
    const state = findings.length > 0 ? "found" : skipped ? "skipped" : "ok";
    report.checks.push({ check: name, state, saw });
    report.findings.push(...findings.map(({ message, next }) => ({ check: name, message, next: toOwn(next) })));
  }
  return report;
}
