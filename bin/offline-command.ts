import { join } from "node:path";
import type { CliContext } from "../cli/command/context.ts";

/** The catalog folder of the configuration: the owner's own. It need not exist. */
export function ownCatalogDir(context: CliContext): string {
  return join(context.places.configDir, "catalog");
}

/** The daemon's own codes (65 to 78) stand beside those of the CLI; what there was to say has been said by then. */
export function end(context: CliContext, code: number): void {
  context.exitCode = code as CliContext["exitCode"];
}

/** Something is wrong with the folder, which is told as every failure of the CLI is, with the code that the daemon has for it. */
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
