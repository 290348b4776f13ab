import { resolve } from "node:path";
import { Option } from "commander";
import { Command } from "../cli/command/command.ts";
import type { CliContext } from "../cli/command/context.ts";
import { parseFilled } from "../cli/flags/option-values.ts";
import type { Migrated, MigrateParts } from "../daemon/offline/migrate/migrate-data.ts";
import type { NotAnalyzed } from "../daemon/storage/postgres/analyze.ts";
import { errorText } from "../shared/error-text.ts";
import { asFolderFailure } from "./offline-command.ts";

/** Moves what a stopped daemon keeps: files into a database, or back. */
export function migrateCommand(context: CliContext): Command {
  return new Command("migrate")
    .summary("Move stopped data into PostgreSQL, or back")
    .description(
      "Move everything that a stopped daemon keeps: its data folder into a database, or a database into a new folder",
    )
    .addOption(
      new Option("--to <where>", "postgres, postgres://user@host/name, or a folder")
        .argParser(parseFilled)
        .makeOptionMandatory(),
    )
    .examples("mkt daemon migrate --to postgres", "mkt daemon migrate --to ./data-in-files")
    .addHelpText(
      "after",
      "\nThe database is that of MKT_DATABASE_URL; a password belongs there, never into --to. An interrupted move goes on where" +
        "\nit was when the command is typed again. Afterwards both are read again and compared: counts, sums and hashes.",
    )
    .action(async ({ to }: { to: string }) => {
      const progress = context.output.progress("Moving");
      const onProgress = (lines: number, of: number) =>
        progress.update(
          lines < of ? `Moving: ${lines} of ${of} lines` : "Comparing what was read with what was written",
        );
      const notAnalyzed: NotAnalyzed[] = [];
      const onNotAnalyzed = (tables: readonly NotAnalyzed[]) => void notAnalyzed.push(...tables);
      const report = await migrate(context, to, { onProgress, onNotAnalyzed }).finally(() => progress.stop());
      for (const { table, error } of notAnalyzed) {
        await context.output.note(
          `mkt daemon: everything was moved, but the table ${table} could not be analyzed (${errorText(error)}). Questions may be ` +
            `slow until PostgreSQL has done it; to do it now, type in psql: analyze ${table}`,
        );
      }
      await context.output.show(report, async () => (await import("./MigrateScreen.tsx")).MigrateScreen);
    });
}

const DATABASE = /^postgres(?:ql)?(?::\/\/|$)/;

async function migrate(
  context: CliContext,
  to: string,
  listeners: Pick<MigrateParts, "onProgress" | "onNotAnalyzed">,
): Promise<Migrated> {
  const [{ databaseOfCommand }, { migrateToDatabase, migrateToFolder }] = await Promise.all([
    import("../daemon/config/database-settings.ts"),
    import("../daemon/offline/migrate/migrate-data.ts"),
  ]);
  const { dataDir, configDir } = context.places;
  try {
    const toDatabase = DATABASE.test(to);
    const database = databaseOfCommand(context.io.env, toDatabase && to.includes("://") ? to : undefined);
    const parts = { configDir, database, ...listeners };
    if (toDatabase) return await migrateToDatabase({ ...parts, dataDir });
    return await migrateToFolder({ ...parts, dataDir: resolve(to), keyOf: dataDir });
  } catch (error) {
    throw await asFolderFailure(error);
  }
}
