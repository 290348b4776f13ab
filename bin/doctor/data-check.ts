import { type DoctorCheck, fine, found, type Finding, type Looked, skipped } from "../../cli/doctor/check.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { DoctorReport } from "../../daemon/doctor/doctor.ts";
import { errorText } from "../../shared/error-text.ts";
import type { Environment } from "../../shared/places.ts";
import { asFolderFailure } from "../offline-command.ts";

/**
 * Checks everything in the data folder, or in a backup, while no daemon runs on it. Where the data are in a database, that one,
 * beside its daemons.
 */
export const dataCheck: DoctorCheck = {
  name: "data",
  async look({ io, places: { dataDir, configDir }, namesDataDir }) {
    // Who names a folder asks about that one.
    if (keepsInDatabase(io.env) && !namesDataDir) return await lookAtDatabase(io.env, configDir);
    const [{ examine }, { DataFolderInUse, DataFolderUnusable }] = await Promise.all([
      import("../../daemon/doctor/doctor.ts"),
      import("../../daemon/storage/storage-errors.ts"),
    ]);
    try {
      const report = await examine({ dataDir });
      const saw = `${dataDir}: ${wordsOf(report)}`;
      return report.exitCode === 0 ? fine(saw) : found(saw, ...findingsOf(report, mendOf));
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

export function keepsInDatabase(environment: Environment): boolean {
  return (environment["MKT_DATABASE_URL"] ?? "") !== "";
}

async function lookAtDatabase(environment: Environment, configDir: string): Promise<Looked> {
  const [{ databaseOfCommand }, { examineDatabase }] = await Promise.all([
    import("../../daemon/config/database-settings.ts"),
    import("../../daemon/doctor/database/examine-database.ts"),
  ]);
  let shown: string | undefined;
  try {
    const settings = databaseOfCommand(environment);
    shown = settings.url.shown;
    const report = await examineDatabase({ configDir, settings });
    const saw = `${shown}: ${wordsOf(report)}`;
    return report.exitCode === 0 ? fine(saw) : found(saw, ...findingsOf(report, mendOfDatabase));
  } catch (error) {
    if (shown === undefined)
      return found("it cannot be checked", { message: errorText(error), next: "env | grep ^MKT_" });
    const message = `${errorText(error)}. Nothing of it was checked`;
    return found(`${shown} cannot be checked`, { message, next: shellLine("psql", shown, "-c", "select 1") });
  }
}

function wordsOf({ checks }: DoctorReport): string {
  return checks
    .map(({ looked }) => looked)
    .filter((what) => what !== "nothing")
    .join(", ");
}

interface Damage {
  dataDir: string;
  check: string;
  message: string;
  needsPerson: boolean;
  repair: string | undefined;
}

function findingsOf({ dataDir, findings, needsPerson }: DoctorReport, mend: (damage: Damage) => string): Finding[] {
  return findings
    .filter(({ kind }) => kind === "damage")
    .map(({ check, file, row, offset, message, repair }) => {
      const place = [file, row, offset === undefined ? undefined : `byte ${offset}`].filter(
        (part) => part !== undefined,
      );
      const where = place.length === 0 ? check : `${check}, ${place.join(", ")}`;
      return { message: `${where}: ${message}`, next: mend({ dataDir, check, message, needsPerson, repair }) };
    });
}

/** A folder that lost acknowledged data is kept unchanged: the newest intact backup replaces it. */
function mendOf({ dataDir, check, message, needsPerson, repair }: Damage): string {
  if (check === "resources") return "mkt resources";
  if (needsPerson) return "mkt doctor --data-dir <backup>";
  // The words of the finding end with the command itself, such as: Close it with: chmod …
  const [, told] = /: ((?:sudo )?ch(?:mod|own) [^\n]+)$/.exec(message) ?? [];
  return (
    told ?? (repair === undefined ? shellLine("ls", "-l", dataDir) : "mkt doctor --repair --copy ./before-the-repair")
  );
}

/** What follows from the lines is made again by a move into files and back; what does not, is in a backup. */
function mendOfDatabase({ dataDir, check, needsPerson }: Damage): string {
  if (check === "resources") return "mkt resources";
  if (!needsPerson && check === "snapshots") return shellLine("psql", dataDir, "-c", "delete from snapshots");
  if (!needsPerson && check === "indexes") return "mkt daemon migrate --to ./data-in-files";
  return shellLine("pg_restore", "--clean", "--dbname", dataDir, "<backup>");
}
