import type { Command } from "commander";
import type { CliContext } from "../../cli/context.ts";
import { checkCommand } from "./check-command.ts";

/** The commands of `mkt catalog` that work on files, without a daemon. */
export function mountCatalogCommands(catalog: Command, context: CliContext, bundledCatalogDir: string): void {
  catalog.addCommand(checkCommand(context, bundledCatalogDir));
}
