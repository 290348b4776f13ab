import { open, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { flushFolder } from "../../../shared/replace-file.ts";
import { CliError, refusedInput } from "../../core/cli-error.ts";
import { checkIsFile } from "./check-is-file.ts";
import { openJsonlResults } from "./jsonl-results.ts";
import type { Results } from "./results.ts";
import { findLackOfRoom, unwritable } from "./unwritable.ts";

export interface BuiltPlace {
  readonly path: string;
  /** It is part of the names of what is written beside the file, so that none is anybody else's. */
  readonly batchId: string;
  /** How many rows the batch has. */
  readonly rows: number;
}

/** What a file is made of, and where. */
export interface Building {
  /** The results so far, as lines of JSON. */
  readonly lines: string;
  /** What the new file may take over; it may not be there. */
  readonly before: string;
  /** The new file. What an earlier attempt left of it may be there. */
  readonly copy: string;
}

/** Makes the file; resolves to false where it could not take all that the lines say. */
export type Build = (building: Building) => Promise<boolean>;

/**
 * Results in a file that cannot be written row by row. While the batch runs they are lines of JSON beside it, which a kill
 * cannot damage; each end of the batch, also an early one, makes the file of them, and it takes the place of the one
 * before. The lines go when every row has its result, and all of it is in the file.
 */
export async function openBuiltResults({ path, batchId, rows }: BuiltPlace, build: Build): Promise<Results> {
  const lines = linesBeside(path);
  const results = await openJsonlResults(lines);
  let written = 0;
  return {
    done: results.done,
    lostItsReader: false,
    async write(result) {
      await results.write(result);
      written += 1;
    },
    async close() {
      await results.close();
      const isWhole = await replaceBuilt({ path, batchId, lines }, build);
      if (isWhole && results.done.count + written === rows) await unlink(lines);
    },
  };
}

export function linesBeside(path: string): string {
  return `${path}.rows.jsonl`;
}

/** Rejects with refused input where lines of another batch are there: they may have been paid for. */
export async function checkNoLines(path: string): Promise<void> {
  const lines = linesBeside(path);
  await checkIsFile(lines);
  if (!(await isThere(lines))) return;
  throw refusedInput(
    `${lines} has the results of another batch: continue that one, move the file away, or choose another name.`,
  );
}

export async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.isFile() && found.size > 0;
}

interface Replacing {
  readonly path: string;
  readonly batchId: string;
  readonly lines: string;
}

async function replaceBuilt({ path: named, batchId, lines }: Replacing, build: Build): Promise<boolean> {
  // A link goes on leading to the file.
  const path = await realpath(named).catch(() => named);
  const copy = copyBeside(path, batchId);
  try {
    const isWhole = await build({ lines, before: path, copy });
    await flush(copy);
    await replace(copy, path);
    // The lines may go only when the new name is on the disk.
    await flushFolder(dirname(path));
    return isWhole;
  } catch (error) {
    // SQLite has one word for whatever the disk answers.
    const cause = systemErrorCode(error) === undefined ? ((await findLackOfRoom(copy)) ?? error) : error;
    const why = cause instanceof CliError ? cause : unwritable(named, cause);
    // On a full disk, it is the room that other files need.
    await rm(copy, { force: true });
    throw refusedInput(`${why.message} The results so far are lines of JSON in ${lines}.`);
  }
}

/** What the file is made in, until it takes its place. */
function copyBeside(path: string, batchId: string): string {
  return `${path}.${batchId}.new`;
}

async function replace(copy: string, path: string): Promise<void> {
  try {
    await rename(copy, path);
  } catch (error) {
    // On Windows a file that a program has open cannot be replaced.
    if (!["EPERM", "EACCES", "EBUSY"].includes(systemErrorCode(error) ?? "")) throw error;
    throw refusedInput(`${path} cannot be replaced: close it where it is open.`);
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
