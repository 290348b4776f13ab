import { createHash } from "node:crypto";
import { link, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isValid as isUlid } from "ulid";
import { flushFolder, makePrivateFolder, replacePrivateFile } from "../../shared/replace-file.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { refusedInput } from "../core/cli-error.ts";
import { claimOutput } from "./claim-output.ts";
import { fileOf, identityOf, type KeptBatch, keptText, readKept, runningIn } from "./kept-batch.ts";
import { linesBeside } from "./results/built-results.ts";
import { RowPrices } from "./row-prices.ts";
import { newId } from "../core/new-id.ts";

/** What tells a batch from another one: the same again is the same batch, begun again or continued. */
export interface BatchIdentity {
  /** Where it was asked, which tells services apart whose workspaces have no ids of ours. */
  readonly service: string;
  /** The id of the caller's: another key of it continues the batch, a key of another one does not. */
  readonly workspaceId: string | undefined;
  readonly endpoint: string;
  /** Of the file's bytes. */
  readonly digest: string;
  /** Everything else that a run gets: map, constants, limits and tags. */
  readonly request: unknown;
}

export interface Keeping {
  readonly prices: readonly RowPrices[];
  readonly output: string | undefined;
  /** Rejects where the results cannot go there. */
  readonly checkPlace: () => Promise<void>;
}

/**
 * A batch that has begun and not ended, kept in the configuration folder. Its id is in the idempotency key of each row, so
 * that who continues it charges no row twice.
 */
export class BatchRecord {
  readonly batchId: string;
  readonly isResumed: boolean;
  readonly #path: string;
  #kept: KeptBatch;
  #lastWrite: Promise<void> = Promise.resolve();

  private constructor(path: string, kept: KeptBatch, isResumed: boolean) {
    this.#path = path;
    this.#kept = kept;
    this.batchId = kept.batchId;
    this.isResumed = isResumed;
  }

  /** The record that is kept for this batch, if there is one. Rejects with a usage error where it is damaged. */
  static async find(configDir: string, identity: BatchIdentity): Promise<BatchRecord | undefined> {
    for (const path of [pathOf(configDir, identity), formerPathOf(configDir, identity)]) {
      const kept = await readKept(path);
      if (kept !== undefined) return new BatchRecord(path, kept, true);
    }
    return undefined;
  }

  static create(configDir: string, identity: BatchIdentity, facts: { rows: number }): BatchRecord {
    const kept: KeptBatch = {
      batchId: newId(),
      startedAt: new Date().toISOString(),
      endpoint: identity.endpoint,
      service: identity.service,
      rows: facts.rows,
      prices: [],
      pid: process.pid,
    };
    return new BatchRecord(pathOf(configDir, identity), kept, false);
  }

  get startedAt(): string {
    return this.#kept.startedAt;
  }

  /** Where it was begun; undefined where an earlier version began it. */
  get service(): string | undefined {
    return this.#kept.service;
  }

  get rows(): number {
    return this.#kept.rows;
  }

  get output(): string | undefined {
    return this.#kept.output;
  }

  /** Whether what is at this path is what the batch wrote. */
  hasWrittenTo(output: string | undefined): boolean {
    return this.isResumed && this.#kept.output === output && this.#kept.isOutputTaken !== true;
  }

  /**
   * When a row may have been sent at the earliest of which this output has no result. In milliseconds since 1970.
   */
  async unrecordedSince(output: string | undefined): Promise<number> {
    const { startedAt, unrecordedSince } = this.#kept;
    const started = Date.parse(startedAt);
    // Elsewhere every row is written again; stdout cannot be read again.
    if (output === undefined || !this.hasWrittenTo(output)) return started;
    // Lines are written as rows end, so that only the last ones are missing.
    const last = Math.max(started, await lastWritten(fileOf(output)));
    return unrecordedSince === undefined ? last : Math.min(last, Date.parse(unrecordedSince));
  }

  /** A row that was sent then is left without a result, and others go on. It is on the disk when this resolves. */
  async leaveUnrecorded(sentAtMs: number): Promise<void> {
    const { unrecordedSince } = this.#kept;
    if (unrecordedSince === undefined || Date.parse(unrecordedSince) > sentAtMs) {
      this.#kept = { ...this.#kept, unrecordedSince: new Date(sentAtMs).toISOString() };
      // The one before must not take the place of this one.
      this.#lastWrite = this.#lastWrite.then(() => replacePrivateFile(this.#path, keptText(this.#kept)));
    }
    await this.#lastWrite;
  }

  /** What the rows could cost when it was begun and continued; the last one is the newest. */
  get prices(): readonly RowPrices[] {
    return this.#kept.prices.map((stretches) => new RowPrices(stretches));
  }

  /** Another process that works on this batch. */
  get runningIn(): number | undefined {
    return runningIn(this.#kept);
  }

  /**
   * Keeps it for this process. It is on the disk when this resolves: only then may a row be sent. Rejects with refused
   * input where another process began or continued the same batch meanwhile, or writes to the same file.
   */
  async keep({ prices, output, checkPlace }: Keeping): Promise<void> {
    const identity = identityOf(process.pid);
    const isContinued = this.hasWrittenTo(output);
    const { output: _, isOutputTaken: _taken, ...others } = this.#kept;
    this.#kept = {
      ...others,
      prices: prices.map(({ stretches }) => stretches.map(([rows, maximum]) => [rows, maximum])),
      ...(output !== undefined && { output }),
      // Rows that were in flight then may be left once more, and the results are written to from now on.
      ...(this.isResumed && { unrecordedSince: new Date(await this.unrecordedSince(output)).toISOString() }),
      pid: process.pid,
      ...(identity !== undefined && { process: identity }),
    };
    const text = keptText(this.#kept);
    await makePrivateFolder(dirname(this.#path));
    const before = await this.#replaceKept(text);
    if (output === undefined) return;
    try {
      await claimOutput(this.#path, output, { isContinued });
      // A batch that was not seen has ended, and may have written there since.
      await checkPlace();
    } catch (error) {
      await (before === undefined ? this.forget() : replacePrivateFile(this.#path, keptText(before)));
      throw error;
    }
  }

  async #replaceKept(text: string): Promise<KeptBatch | undefined> {
    if (!this.isResumed) {
      await createOnce(this.#path, text);
      return undefined;
    }
    const found = await readKept(this.#path);
    if (found?.batchId !== this.batchId || runningIn(found) !== undefined) throw beganMeanwhile();
    await replacePrivateFile(this.#path, text);
    return found;
  }

  /** Every row has its end: the same command begins a new batch. */
  async forget(): Promise<void> {
    await unlink(this.#path).catch((error: unknown) => {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    });
  }
}

/** In milliseconds since 1970; 0 where nothing is there. */
async function lastWritten(path: string): Promise<number> {
  const found = [path, linesBeside(path)].map((file) => stat(file).catch(() => undefined));
  return Math.max(0, ...(await Promise.all(found)).map((one) => one?.mtimeMs ?? 0));
}

/** Whole or not at all, and by one process only: two ids for the same rows would charge each row twice. */
async function createOnce(path: string, text: string): Promise<void> {
  const own = `${path}.${newId()}`;
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

/**
 * Of the workspace, wherever it is asked: keys of rows belong to it, and one service has many addresses, as several daemons have,
 * or one that is spelled otherwise. An id of ours is that of one workspace alone.
 */
function pathOf(configDir: string, identity: BatchIdentity): string {
  const isOneAlone = isUlid(identity.workspaceId ?? "");
  return formerPathOf(configDir, isOneAlone ? { ...identity, service: "" } : identity);
}

/** Where earlier versions kept it. */
function formerPathOf(configDir: string, identity: BatchIdentity): string {
  const { service, workspaceId, endpoint, digest, request } = identity;
  const text = JSON.stringify([service, workspaceId ?? null, endpoint, digest, request]);
  return join(configDir, "batches", `${createHash("sha256").update(text).digest("hex").slice(0, 32)}.json`);
}
