import { resolve } from "node:path";
import { Command } from "commander";
import { refusedInput, usageError } from "../cli/cli-error.ts";
import type { CliContext } from "../cli/context.ts";
import { sanitizeText, toSafeJson } from "../cli/sanitize.ts";
import { asFolderFailure, end, placesOf } from "./offline-command.ts";

interface DoctorFlags {
  readonly repair?: boolean;
  readonly copy?: string;
}

/** Works on the files of a stopped daemon, and on a backup. */
export function doctorCommand(context: CliContext): Command {
  return new Command("doctor")
    .description("Look whether everything in a stopped daemon's data folder, or in a backup, is as it must be")
    .option("--repair", "put right what can be put right without losing anything; needs --copy")
    .option("--copy <directory>", "a new folder that everything is copied to before")
    .addHelpText(
      "after",
      "\nExit code 0: nothing is wrong; 65: something is." +
        "\n\nExamples:\n  mkt daemon stop && mkt doctor\n  mkt doctor --data-dir ./backup-monday --json\n  mkt doctor --repair --copy ./before-the-repair",
    )
    .action(async ({ repair = false, copy }: DoctorFlags) => {
      if (repair && copy === undefined)
        throw usageError("--repair changes files: say with --copy where to keep them as they are.");
      if (!repair && copy !== undefined)
        throw usageError("--copy is for --repair. To copy a folder: mkt daemon backup <directory>.");
      const [{ examine }, { renderReport }, { CopyRefused }] = await Promise.all([
        import("../daemon/doctor/doctor.ts"),
        import("../daemon/doctor/render-report.ts"),
        import("../daemon/doctor/copy-folder.ts"),
      ]);
      const { dataDir } = placesOf(context);
      try {
        const report = await examine({ dataDir, ...(copy !== undefined && { copyTo: resolve(copy) }) });
        const text = context.flags.json === true ? `${toSafeJson(report)}\n` : sanitizeText(renderReport(report));
        await context.output.text(text);
        end(context, report.exitCode);
      } catch (error) {
        if (error instanceof CopyRefused) throw refusedInput(`${error.message}.`);
        throw await asFolderFailure(error);
      }
    });
}
