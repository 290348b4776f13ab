import { resolve } from "node:path";
import { refusedInput } from "../../cli/core/cli-error.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { exitCodes } from "../../cli/core/exit-codes.ts";
import { sanitizeText, toSafeJson } from "../../cli/terminal/sanitize.ts";
import { asFolderFailure } from "../offline-command.ts";

/** Repairs what can be repaired in a stopped daemon's data folder, after copying it, and says what was done. */
export async function repairDataFolder(context: CliContext, copy: string): Promise<void> {
  const [{ examine }, { renderReport }, { CopyRefused }] = await Promise.all([
    import("../../daemon/doctor/doctor.ts"),
    import("../../daemon/doctor/render-report.ts"),
    import("../../daemon/doctor/copy-folder.ts"),
  ]);
  const { dataDir } = context.places;
  try {
    const report = await examine({ dataDir, copyTo: resolve(copy) });
    await context.output.text(context.flags.json ? `${toSafeJson(report)}\n` : sanitizeText(renderReport(report)));
    if (report.exitCode !== 0) context.exitCode = exitCodes.failed;
  } catch (error) {
    if (error instanceof CopyRefused) throw refusedInput(`${error.message}.`);
    throw await asFolderFailure(error);
  }
}
