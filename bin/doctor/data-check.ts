import { type DoctorCheck, fine, found, type Finding, type Looked, skipped } from "../../cli/doctor/check.ts";
import { shellLine } from "../../cli/words/shell-line.ts";
import type { DoctorReport } from "../../daemon/doctor/doctor.ts";
import { asFolderFailure } from "../offline-command.ts";

/** Checks everything in the data folder, or in a backup, while no daemon runs on it. */
export const dataCheck: DoctorCheck = {
  name: "data",
  async look({ places: { dataDir }, namesDataDir }) {
    const [{ examine }, { DataFolderInUse, DataFolderUnusable }] = await Promise.all([
      import("../../daemon/doctor/doctor.ts"),
      import("../../daemon/storage/storage-errors.ts"),
    ]);
    try {
      const report = await examine({ dataDir });
      const looked = report.checks.map(({ looked: what }) => what).filter((what) => what !== "nothing");
      const saw = `${dataDir}: ${looked.join(", ")}`;
      return report.exitCode === 0 ? fine(saw) : found(saw, ...findingsOf(report));
    } catch (error) {
      if (error instanceof DataFolderInUse) return lookAtKnown(dataDir);
      if (error instanceof DataFolderUnusable && !namesDataDir) return skipped(`${dataDir}: it does not exist yet`);
      const { message } = await asFolderFailure(error);
      return found("it cannot be checked", { message, next: shellLine("ls", "-ld", dataDir) });
    }
  },
};

/** What a running daemon found: it checks its folder in the background. */
async function lookAtKnown(dataDir: string): Promise<Looked> {
  const { readKnownDamage } = await import("../../daemon/doctor/known-damage.ts");
  const known = await readKnownDamage(dataDir).catch(() => undefined);
  const whole = known?.endedAt === undefined ? "" : `, last checked in full by ${known.endedAt}`;
  if (known === undefined || known.damage.length === 0) {
    return skipped(`in use${whole}; to check all of it: mkt daemon stop && mkt doctor`);
  }
  const findings = known.damage.map(({ file, offset, why }) => {
    const place = offset === undefined ? file : `${file}, byte ${offset}`;
    return { message: `${place}: ${why}`, next: "mkt daemon stop && mkt doctor" };
  });
  return found(`${dataDir}: damage that the daemon found while it runs${whole}`, ...findings);
}

function findingsOf({ dataDir, findings, needsPerson }: DoctorReport): Finding[] {
  return findings
    .filter(({ kind }) => kind === "damage")
    .map(({ check, file, offset, message, repair }) => {
      const place = [file, offset === undefined ? undefined : `byte ${offset}`].filter((part) => part !== undefined);
      const where = place.length === 0 ? check : `${check}, ${place.join(", ")}`;
      return { message: `${where}: ${message}`, next: mendOf({ dataDir, check, message, needsPerson, repair }) };
    });
}

/** A folder that lost acknowledged data is kept unchanged: the newest intact backup replaces it. */
function mendOf(finding: {
  dataDir: string;
  check: string;
  message: string;
  needsPerson: boolean;
  repair: string | undefined;
}): string {
  const { dataDir, check, message, needsPerson, repair } = finding;
  if (check === "resources") return "mkt resources";
  if (needsPerson) return "mkt doctor --data-dir <backup>";
  // The words of the finding end with the command itself, such as: Close it with: chmod …
  const [, told] = /: ((?:sudo )?ch(?:mod|own) [^\n]+)$/.exec(message) ?? [];
  return (
    told ?? (repair === undefined ? shellLine("ls", "-l", dataDir) : "mkt doctor --repair --copy ./before-the-repair")
  );
}
