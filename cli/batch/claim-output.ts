import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { replacePrivateFile } from "../../shared/replace-file.ts";
import { refusedInput } from "../core/cli-error.ts";
import { fileOf, type KeptBatch, keptText, readKept, runningIn } from "./kept-batch.ts";

/**
 * Makes sure that no other batch writes to this file; it is called when the own record, which names the file, is on the disk,
 * so that of two at the same moment one at least sees the other. Rejects with refused input while another one runs. An
 * interrupted one, of which nothing is there any more, is told that what it will find there is not its own.
 */
export async function claimOutput(
  ownRecord: string,
  output: string,
  { isContinued }: { readonly isContinued: boolean },
): Promise<void> {
  const folder = dirname(ownRecord);
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]{32}\.json$/.test(name) || name === basename(ownRecord)) continue;
    const path = join(folder, name);
    const other = await readKept(path).catch(() => undefined);
    if (other?.output === undefined || fileOf(other.output) !== fileOf(output)) continue;
    const pid = runningIn(other);
    if (pid !== undefined) throw isWritten(other, pid);
    if (!isContinued && other.isOutputTaken === undefined) {
      await replacePrivateFile(path, keptText({ ...other, isOutputTaken: true }));
    }
  }
}

function isWritten({ output = "", batchId }: KeptBatch, pid: number): Error {
  return refusedInput(
    `Another batch (${batchId}, process ${pid}) writes to ${fileOf(output)}: nothing was sent. Choose another name, or wait for it.`,
  );
}
