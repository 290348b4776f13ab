import { usageError } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parseFilled } from "../flags/option-values.ts";
import { askHealth } from "./ask-health.ts";
import { providersCheck } from "./catalog-check.ts";
import type { DoctorCheck, Patient } from "./check.ts";
import { diskCheck, nodeCheck, permissionsCheck } from "./machine-checks.ts";
import { lookAtAll } from "./report.ts";
import {
  clockCheck,
  connectionsCheck,
  consoleCheck,
  keyCheck,
  powerfulKeysCheck,
  serviceCheck,
  versionCheck,
} from "./service-checks.ts";
import { settingsCheck } from "./settings-check.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { describeFailure } from "../failure/failure.ts";
import { ownCommand } from "../output/own-command.ts";

/** What the daemon's side adds, since the CLI knows nothing of its files. */
export interface DoctorOfFiles {
  checks: readonly DoctorCheck[];
  bundledCatalogDir: string;
  /** Repairs the data folder after copying it there, and says what was done. */
  repair(copy: string): Promise<void>;
}

/** `mkt doctor`, with room for the daemon's side. */
export class DoctorCommand extends Command {
  files: DoctorOfFiles | undefined;
}

interface DoctorFlags {
  repair?: true;
  copy?: string;
}

export function doctorCommand(context: CliContext): DoctorCommand {
  const doctor = new DoctorCommand("doctor");
  doctor
    .description("Check the whole setup; each finding comes with the command that fixes it")
    .examples("mkt doctor", "mkt doctor --json")
    .option("--repair", "repair what can be repaired in the data folder without losing anything; needs --copy")
    .option("--copy <directory>", "a new folder to copy everything to first", parseFilled)
    .addHelpText(
      "after",
      "\nExit code 0: no findings; 1: findings. The data folder is checked in full only while no daemon runs on it:" +
        "\n  mkt daemon stop && mkt doctor\n  mkt doctor --data-dir ./backup-monday" +
        "\nA database (MKT_DATABASE_URL) is checked in full beside its daemons.",
    )
    .action(async ({ repair, copy }: DoctorFlags) => {
      if (copy !== undefined && !repair) {
        throw usageError("--copy is for --repair. To copy a folder: mkt daemon backup <directory>.");
      }
      if (!repair) return await look(context, doctor.files);
      if (copy === undefined) {
        throw usageError("--repair changes files: name a folder for a copy of them with --copy.");
      }
      await doctor.files?.repair(copy);
    });
  return doctor;
}

async function look(context: CliContext, files: DoctorOfFiles | undefined): Promise<void> {
  const checks = [
    nodeCheck,
    settingsCheck(context.flags),
    serviceCheck,
    versionCheck,
    clockCheck,
    keyCheck,
    powerfulKeysCheck,
    connectionsCheck,
    consoleCheck,
    providersCheck(files?.bundledCatalogDir),
    diskCheck,
    permissionsCheck,
    ...(files?.checks ?? []),
  ];
  const progress = context.output.progress("Checking everything");
  const toOwn = (command: string) => ownCommand(command, context.flags);
  const report = await lookAtAll(checks, await readPatient(context), toOwn).finally(() => progress.stop());
  await context.output.show(report, async () => (await import("./Doctor.tsx")).Doctor);
  if (report.findings.length > 0) context.exitCode = exitCodes.failed;
}

async function readPatient(context: CliContext): Promise<Patient> {
  const settings = await context.settings().catch(() => undefined);
  const client = settings?.baseUrl === undefined ? undefined : await context.client();
  return {
    io: context.io,
    places: context.places,
    namesDataDir: context.flags.dataDir !== undefined,
    settings,
    client,
    health: client && (await askHealth(client)),
    describe: (thrown) => describeFailure(thrown, context),
  };
}
