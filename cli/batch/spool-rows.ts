import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { refusedInput } from "../core/cli-error.ts";

/** Rows that can be read once only, as a file that only its owner can read. It goes when it is disposed of. */
export interface SpooledRows extends AsyncDisposable {
  readonly path: string;
}

/**
 * The rows of standard input (`-`) and of a pipe, such as `<(program)`, are read twice and so kept in a file; undefined for
 * a file. Rejects with refused input for a device.
 */
export async function spoolRows(rows: string, stdin: Readable): Promise<SpooledRows | undefined> {
  if (rows === "-") return await spool(stdin);
  const there = await stat(rows).catch(() => undefined);
  if (there?.isFIFO()) return await spool(createReadStream(rows));
  // Some never end.
  if (there?.isCharacterDevice()) throw refusedInput(`${rows} is a device, and rows come from a file, a pipe or -.`);
  return undefined;
}

async function spool(rows: Readable): Promise<SpooledRows> {
  const folder = await mkdtemp(join(tmpdir(), "mkt-batch-"));
  const path = join(folder, "rows");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await pipeline(rows, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
}
