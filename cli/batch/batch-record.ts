import { createHash } from "node:crypto";
import { link, readFile, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ulid } from "ulid";
import { z } from "zod";
import { findProcessIdentity } from "../../shared/process-identity.ts";
import { flushFolder, makePrivateFolder, replacePrivateFile } from "../../shared/replace-file.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { refusedInput, usageError } from "../core/cli-error.ts";

/** What tells a batch from another one: the same again is the same batch, begun again or continued. */
export interface BatchIdentity {
  readonly service: string;
  /** The id of the caller's: another key of it continues the batch, a key of another one does not. */
  readonly workspaceId: string | undefined;
  readonly endpoint: string;
  /** Of the file's bytes. */
  readonly digest: string;
  /** Everything else that a run gets: map, constants, limits and tags. */
  readonly request: unknown;
}

const Kept = z.object({
  batchId: z.string().regex(/^[0-9A-Z]{26}$/),
  startedAt: z.string(),
  endpoint: z.string(),
  rows: z.number(),
  /** In micro-dollars; what the run of a row could cost, where all cost the same: one of them is part of each request. */
  maxima: z.array(z.number()).default([]),
  /** The whole path; absent for stdout. */
  output: z.string().optional(),
  pid: z.number(),
  process: z.string().optional(),
});
type Kept = z.infer<typeof Kept>;

/**
 * A batch that has begun and not ended, kept in the configuration folder. Its id is in the idempotency key of each row, so
 * that who continues it charges no row twice.
 */
export class BatchRecord {
  readonly batchId: string;
  readonly isResumed: boolean;
  readonly #path: string;
  #kept: Kept;

  private constructor(path: string, kept: Kept, isResumed: boolean) {
    this.#path = path;
    this.#kept = kept;
    this.batchId = kept.batchId;
    this.isResumed = isResumed;
  }

  /** The record that is kept for this batch, if there is one. Rejects with a usage error where it is damaged. */
  static async find(configDir: string, identity: BatchIdentity): Promise<BatchRecord | undefined> {
    const path = pathOf(configDir, identity);
    const kept = await readKept(path);
    return kept === undefined ? undefined : new BatchRecord(path, kept, true);
  }

  static create(configDir: string, identity: BatchIdentity, facts: { rows: number }): BatchRecord {
    const kept: Kept = {
      batchId: ulid(),
      startedAt: new Date().toISOString(),
      endpoint: identity.endpoint,
      rows: facts.rows,
      maxima: [],
      pid: process.pid,
    };
    return new BatchRecord(pathOf(configDir, identity), kept, false);
  }

  get startedAt(): string {
    return this.#kept.startedAt;
  }

  get output(): string | undefined {
    return this.#kept.output;
  }

  /** When a row may have been sent of which there is no result. In milliseconds since 1970. */
  async unrecordedSince(): Promise<number> {
    const { output, startedAt } = this.#kept;
    // Lines are written as rows end, so that only the last ones are missing; stdout cannot be read again.
    const results = output === undefined ? undefined : await stat(output).catch(() => undefined);
    return results?.mtimeMs ?? Date.parse(startedAt);
  }

  /** As above; the last one is the newest. */
  get maxima(): readonly number[] {
    return this.#kept.maxima;
  }

  /** Another process that works on this batch. */
  get runningIn(): number | undefined {
    return runningIn(this.#kept);
  }

  /**
   * Keeps it for this process. It is on the disk when this resolves: only then may a row be sent. Rejects with refused
   * input where another process began or continued the same batch meanwhile.
   */
  async keep({ maxima, output }: { maxima: readonly number[]; output: string | undefined }): Promise<void> {
    const identity = identityOf(process.pid);
    const { output: _, ...others } = this.#kept;
    this.#kept = {
      ...others,
      maxima: [...maxima],
      ...(output !== undefined && { output }),
      pid: process.pid,
      ...(identity !== undefined && { process: identity }),
    };
    const text = `${JSON.stringify(this.#kept)}\n`;
    await makePrivateFolder(dirname(this.#path));
    if (!this.isResumed) return await createOnce(this.#path, text);
    const found = await readKept(this.#path);
    if (found?.batchId !== this.batchId || runningIn(found) !== undefined) throw beganMeanwhile();
    await replacePrivateFile(this.#path, text);
  }

  /** Every row has its end: the same command begins a new batch. */
  async forget(): Promise<void> {
    await unlink(this.#path).catch((error: unknown) => {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    });
  }
}

async function readKept(path: string): Promise<Kept | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const kept = Kept.safeParse(parseOrUndefined(text));
  if (!kept.success) throw usageError(`${path} is damaged: the id of the interrupted batch cannot be read from it.`);
  return kept.data;
}

/** Whole or not at all, and by one process only: two ids for the same rows would charge each row twice. */
async function createOnce(path: string, text: string): Promise<void> {
  const own = `${path}.${ulid()}`;
  await replacePrivateFile(own, text);
  try {
    await link(own, path);
  } catch (error) {
    throw systemErrorCode(error) === "EEXIST" ? beganMeanwhile() : error;
  } finally {
    await unlink(own);
  }
  await flushFolder(dirname(path));
}

function beganMeanwhile(): Error {
  return refusedInput("Another process began or continued this batch meanwhile: nothing was sent from here.");
}

/** The process that works on it, unless it is this one or none. */
function runningIn({ pid, process: identity }: Kept): number | undefined {
  if (pid === process.pid || identity === undefined) return undefined;
  return identityOf(pid) === identity ? pid : undefined;
}

function pathOf(configDir: string, identity: BatchIdentity): string {
  const { service, workspaceId, endpoint, digest, request } = identity;
  const text = JSON.stringify([service, workspaceId ?? null, endpoint, digest, request]);
  return join(configDir, "batches", `${createHash("sha256").update(text).digest("hex").slice(0, 32)}.json`);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function identityOf(pid: number): string | undefined {
  if (process.platform !== "linux" && process.platform !== "darwin") return undefined;
  const identity = findProcessIdentity(pid);
  return identity === undefined ? undefined : `${identity.boot} ${identity.start}`;
}
