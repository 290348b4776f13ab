import type { Command } from "commander";
import type { CliContext } from "../../cli/command/context.ts";
import { addMarketCommand } from "./add-market-command.ts";
import { checkCommand } from "./check-command.ts";
import { exportCommand } from "./export-command.ts";
import { diffCommand } from "./diff-command.ts";
import { driftCommand } from "./drift-command.ts";
import { importCommand } from "./import-command.ts";
import { schemaCommand } from "./schema-command.ts";
import { testCommand } from "./test-command.ts";

/** The commands of `mkt catalog` that work on files, without a daemon. */
export function mountCatalogCommands(catalog: Command, context: CliContext, bundledCatalogDir: string): void {
  catalog.addCommand(checkCommand(context, bundledCatalogDir));
  catalog.addCommand(exportCommand(context, bundledCatalogDir));
  catalog.addCommand(schemaCommand(context));
  catalog.addCommand(testCommand(context, bundledCatalogDir));
  catalog.addCommand(importCommand(context, bundledCatalogDir));
  catalog.addCommand(addMarketCommand(context, bundledCatalogDir));
  catalog.addCommand(driftCommand(context));
  catalog.addCommand(diffCommand(context));
}
