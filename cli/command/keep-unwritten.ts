import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, replacePrivateFile } from "../../shared/replace-file.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliContext } from "./context.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { UnwrittenError } from "../output/unwritten-error.ts";

export interface Keeping {
  /** How the name of the file begins. */
  readonly name: string;
  /** What is kept if it could not be printed; without it only the output that failed to be written is kept. */
  readonly text?: string;
  /** The command to type if it cannot even be kept. */
  readonly next?: string;
}

/**
 * Prints what cannot be requested again, such as a new key. If it cannot be written, it is kept in a file that only its
 * owner can read, and the error names the file.
 */
export async function keepUnwritten(context: CliContext, keeping: Keeping, print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    if (!(error instanceof UnwrittenError)) throw error;
    const path = await keep(context, keeping.name, error.text);
    const message =
      path === undefined ? `${error.message} It could not be saved either.` : `${error.message} ${told(path)}`;
    const next = path === undefined ? keeping.next : shellLine("cat", path);
    throw new CliError(error.exitCode, message, { ...(next !== undefined && { next }), cause: error });
  }
  if (!context.output.lostItsReader || keeping.text === undefined) return;
  const path = await keep(context, keeping.name, keeping.text);
  if (path !== undefined) await context.output.note(`The output was not read. ${told(path)}`);
}

function told(path: string): string {
  return `It is saved in ${path}, which only you can read; remove the file when you are done.`;
}

/** In the configuration folder, else in the folder of temporary files. Undefined if it can be written to neither. */
async function keep({ places }: CliContext, name: string, text: string): Promise<string | undefined> {
  for (const folder of [join(places.configDir, "unwritten"), tmpdir()]) {
    const path = join(folder, `${name}-${randomBytes(4).toString("hex")}.txt`);
    try {
      await makePrivateFolder(folder);
      await replacePrivateFile(path, text);
      return path;
    } catch {
      // The next folder may be on another disk.
    }
  }
  return undefined;
}
