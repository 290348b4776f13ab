import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { refusedInput } from "../../core/cli-error.ts";

/**
 * Rejects with refused input where something else than a file is at this path. Results are read again when a batch is
 * continued; to read a pipe that nobody writes to waits for ever, and some devices have no end.
 */
export async function checkIsFile(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there === undefined || there.isFile()) return;
  throw refusedInput(
    `${path} is ${kindOf(there)}, and results need a file: choose another name. Without -o they go to stdout, as lines of JSON.`,
  );
}

function kindOf(there: Stats): string {
  if (there.isDirectory()) return "a folder";
  if (there.isFIFO()) return "a pipe";
  return there.isSocket() ? "a socket" : "a device";
}
