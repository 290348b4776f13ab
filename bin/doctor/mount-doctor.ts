import type { Command } from "commander";
import { DoctorCommand } from "../../cli/doctor/doctor-command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { dataCheck, keepsInDatabase } from "./data-check.ts";
import { manifestsCheck } from "./manifests-check.ts";
import { portCheck } from "./port-check.ts";
import { resolve } from "node:path";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { exitCodes } from "../../cli/core/exit-codes.ts";
import { sanitizeText, toSafeJson } from "../../cli/terminal/sanitize.ts";
import { asFolderFailure } from "../offline-command.ts";

/** Gives `mkt doctor` its checks of files, and the repair of a data folder. */
export function mountDoctor(doctor: Command, context: CliContext, bundledCatalogDir: string): void {
  if (!(doctor instanceof DoctorCommand)) throw new Error("the doctor of the CLI is no DoctorCommand");
  doctor.files = {
    checks: [portCheck(bundledCatalogDir), manifestsCheck(bundledCatalogDir), dataCheck],
    bundledCatalogDir,
    repair: (copy) => repairDataFolder(context, copy),
  };
}

/** Repairs what can be repaired in a stopped daemon's data folder, after copying it, and says what was done. */
async function repairDataFolder(context: CliContext, copy: string): Promise<void> {
  const [{ examine }, { renderReport }, { CopyRefused }] = await Promise.all([
    import("../../daemon/doctor/doctor.ts"),
    import("../../daemon/doctor/render-report.ts"),
    import("../../daemon/doctor/copy-folder.ts"),
  ]);
  const { dataDir } = context.places;
  if (keepsInDatabase(context.io.env) && context.flags.dataDir === undefined) {
    throw refusedInput(
      "A database is not repaired here: restore its backup. mkt doctor says what is wrong with it. To repair a folder, name it with --data-dir.",
    );
  }
  try {
    const report = await examine({ dataDir, copyTo: resolve(copy) });
    await context.output.text(context.flags.json ? `${toSafeJson(report)}\n` : sanitizeText(renderReport(report)));
    if (report.exitCode !== 0) context.exitCode = exitCodes.failed;
  } catch (error) {
    if (error instanceof CopyRefused) throw refusedInput(`${error.message}.`);
    throw await asFolderFailure(error);
  }
}
