import { resolve } from "node:path";
import { refusedInput } from "../cli/core/cli-error.ts";
import { Command } from "../cli/command/command.ts";
import type { CliContext } from "../cli/command/context.ts";
import { parseFilled } from "../cli/flags/option-values.ts";
import { findRunningDaemon } from "../cli/local-daemon/local-daemon.ts";
import { createClient } from "../shared/client/client.ts";
import type { BackupReport } from "../shared/contract/admin.ts";
import type { LocalDaemonFile } from "../shared/local-daemon-file.ts";
import { asFolderFailure } from "./offline-command.ts";

/** A running daemon makes the copy itself; the folder of a stopped one is copied here, under its lock. */
export function backupCommand(context: CliContext): Command {
  return new Command("backup")
    .summary("Copy the data folder, even while the daemon runs")
    .description("Copy the data folder, even while the daemon runs, to a new folder that a daemon can be started on")
    .argument("<directory>", "a folder that does not exist yet or is empty", parseFilled)
    .examples("mkt daemon backup ./backup-monday")
    .addHelpText(
      "after",
      "\nThe copy contains every run acknowledged before it began, but no secrets and keys: they are in the configuration folder." +
        "\nTo check it: mkt doctor --data-dir ./backup-monday. To start a daemon on it: mkt daemon --data-dir ./backup-monday.",
    )
    .action(async (name: string) => {
      const directory = resolve(name);
      const places = context.places;
      const running = await findRunningDaemon(places);
      const progress = context.output.progress("Copying the data folder");
      const report = await (
        running === undefined ? backUpStopped(places.dataDir, directory) : askFor(running, directory)
      ).finally(() => progress.stop());
      await context.output.show(report, async () => (await import("./BackupScreen.tsx")).BackupScreen);
    });
}

async function askFor({ url, key }: LocalDaemonFile, directory: string): Promise<BackupReport> {
  return await createClient({ baseUrl: url, key, clientKind: "cli" }).createBackup({ body: { directory } });
}

async function backUpStopped(dataDir: string, directory: string): Promise<BackupReport> {
  const [{ backUpStoppedFolder }, { BackupRefused }] = await Promise.all([
    import("../daemon/offline/back-up-stopped-folder.ts"),
    import("../daemon/operator/backup-store.ts"),
  ]);
  try {
    return await backUpStoppedFolder(dataDir, directory);
  } catch (error) {
    if (error instanceof BackupRefused) throw refusedInput(`${error.message}.`);
    throw await asFolderFailure(error);
  }
}
