import { readFile } from "node:fs/promises";
import { z } from "zod";
import { findProcessIdentity } from "../../shared/process-identity.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { usageError } from "../core/cli-error.ts";

/** What the file of an unfinished batch has. */
const KeptBatch = z.object({
  batchId: z.string().regex(/^[0-9A-Z]{26}$/),
  startedAt: z.string(),
  endpoint: z.string(),
  /** Where it was begun; absent in records of earlier versions. */
  service: z.string().optional(),
  rows: z.number(),
  /**
   * What each row could cost, as stretches of rows: as it was quoted when the batch began, and whenever it was continued at
   * other prices. The last one is the newest. One of them is part of each request.
   */
  prices: z.array(z.array(z.tuple([z.number(), z.number()]))).default([]),
  /** The whole path, with `#` and the table where one was named; absent for stdout. */
  output: z.string().optional(),
  /** Another batch writes to the same path since: what is there now is not of this one. */
  isOutputTaken: z.literal(true).optional(),
  /** When a row was sent at the earliest that may have no result; absent where the results tell. */
  unrecordedSince: z.string().optional(),
  pid: z.number(),
  process: z.string().optional(),
});
export type KeptBatch = z.infer<typeof KeptBatch>;

/** Undefined where there is none. Rejects with a usage error where it is damaged. */
export async function readKept(path: string): Promise<KeptBatch | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const kept = KeptBatch.safeParse(parseOrUndefined(text));
  if (!kept.success) throw usageError(`${path} is damaged: the id of the interrupted batch cannot be read from it.`);
  return kept.data;
}

export function keptText(kept: KeptBatch): string {
  return `${JSON.stringify(kept)}\n`;
}

/** The file that a batch writes to, whatever table of it. */
export function fileOf(output: string): string {
  return /^(.*\.(?:sqlite3?|db|xlsx))#[^/\\]*$/i.exec(output)?.[1] ?? output;
}

/** The process that works on it, unless it is this one or none. */
export function runningIn({ pid, process: identity }: KeptBatch): number | undefined {
  if (pid === process.pid || identity === undefined) return undefined;
  return identityOf(pid) === identity ? pid : undefined;
}

/** Tells a process from a later one with the same number; undefined where the system does not say. */
export function identityOf(pid: number): string | undefined {
  if (process.platform !== "linux" && process.platform !== "darwin") return undefined;
  const identity = findProcessIdentity(pid);
  return identity === undefined ? undefined : `${identity.boot} ${identity.start}`;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
