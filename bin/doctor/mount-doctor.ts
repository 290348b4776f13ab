import type { Command } from "commander";
import { DoctorCommand } from "../../cli/doctor/doctor-command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { dataCheck } from "./data-check.ts";
import { manifestsCheck } from "./manifests-check.ts";
import { portCheck } from "./port-check.ts";
import { repairDataFolder } from "./repair.ts";

/** Gives `mkt doctor` its checks of files, and the repair of a data folder. */
export function mountDoctor(doctor: Command, context: CliContext, bundledCatalogDir: string): void {
  if (!(doctor instanceof DoctorCommand)) throw new Error("the doctor of the CLI is no DoctorCommand");
  doctor.files = {
    checks: [portCheck(bundledCatalogDir), manifestsCheck(bundledCatalogDir), dataCheck],
    bundledCatalogDir,
    repair: (copy) => repairDataFolder(context, copy),
  };
}
