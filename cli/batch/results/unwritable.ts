import { open } from "node:fs/promises";
import { errorText } from "../../../shared/error-text.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { type CliError, refusedInput } from "../../core/cli-error.ts";

const noRoom: Readonly<Record<string, string>> = {
  ENOSPC: "its disk is full",
  EDQUOT: "your share of its disk is full",
  EFBIG: "it is larger than this process may write",
};

/** Says which file could not be written, and why, in words where the system's own are no help. */
export function unwritable(path: string, cause: unknown): CliError {
  const why = noRoom[systemErrorCode(cause) ?? ""];
  const text = errorText(cause);
  return refusedInput(`${path} cannot be written: ${why === undefined ? text : `${why} (${text})`}.`);
}

/** More than one block of any disk. */
const PROBE_BYTES = 65_536;

/**
 * Why a file takes no more, from the system itself, for a writer that does not pass that on; undefined where it takes more.
 * The file is longer afterwards: this is for one that is thrown away.
 */
export async function findLackOfRoom(path: string): Promise<unknown> {
  try {
    const file = await open(path, "a");
    try {
      await file.appendFile(Buffer.alloc(PROBE_BYTES));
    } finally {
      await file.close();
    }
    return undefined;
  } catch (error) {
    return noRoom[systemErrorCode(error) ?? ""] === undefined ? undefined : error;
  }
}
