import { join } from "node:path";
import type { CliContext } from "../cli/command/context.ts";

/** The catalog folder of the configuration: the owner's own. It need not exist. */
export function ownCatalogDir(context: CliContext): string {
  return join(context.places.configDir, "catalog");
}

/** The daemon's own exit codes (65 to 78) complement those of the CLI; all messages are printed by then. */
export function end(context: CliContext, code: number): void {
  context.exitCode = code as CliContext["exitCode"];
}

/** A problem with the folder. It is reported like every failure of the CLI, with the daemon's exit code for it. */
class FolderFailure extends Error {
  override readonly name = "FolderFailure";

  constructor(
    message: string,
    readonly exitCode: number,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

export async function asFolderFailure(error: unknown): Promise<Error> {
  const { toDaemonExit } = await import("../daemon/start/daemon-exit.ts");
  const { code, message } = toDaemonExit(error);
  return new FolderFailure(message, code, error);
}
