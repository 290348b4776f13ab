import { setTimeout as delay } from "node:timers/promises";
import { DiskFull, StorageFailed } from "../../../ledger/transaction/commit-errors.ts";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import { isOutOfDescriptors, type Files } from "../../files.ts";
import { dropBallast, isNoRoom, makeBallast } from "./ballast.ts";
import { mayWait } from "../../may-wait.ts";

/*
 * Whether the disk has space. docs/storage.md, "A full disk".
 *
 *   now       what happens                             then
 *   room      a write finds no space                   full: the ballast is removed, lines that may wait are refused
 *   full      a write finds no space                   full: it is held and retried, as long as it takes
 *   full      the ballast fits again, with a margin    room
 */

/** How often free space is checked, and how long a write is held before it is retried. */
const LOOK_EVERY_MS = 1_000;
const HOLD_MS = 250;
/**
 * Free space besides the ballast that is required before new work is accepted, so that the disk is not full again at
 * once.
 */
const MARGIN_BYTES = 1_024 * 1_024;

export interface DiskRoomOptions {
  readonly files: Files;
  readonly dataDir: string;
  /** 0: no ballast. Absent: an existing ballast is kept, and removed like any other when the disk is full. */
  readonly ballastBytes?: number;
  /** Called when the disk has become full, or has space again. */
  readonly onChange?: (isFull: boolean) => void;
  /** Called when background work failed, such as making the ballast on a disk that has space. */
  readonly onProblem?: (error: unknown) => void;
}

export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #closing = new AbortController();
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;
  #making: Promise<void> | undefined;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Makes the ballast in the background; a disk without space for it is full from the start. */
  start(): void {
    const { files, dataDir, ballastBytes } = this.#options;
    if (ballastBytes === undefined) return;
    this.#making = makeBallast(files, dataDir, ballastBytes).catch((error: unknown) => {
      if (isNoRoom(error)) this.#setFull(true);
      else this.#options.onProblem?.(error);
    });
  }

  /** Throws `DiskFull` if the line must wait until there is space. */
  checkRoomFor(line: Line): void {
    if (this.#isFull && mayWait(line)) throw this.refusal();
  }

  refusal(): DiskFull {
    return new DiskFull(`The disk of the data folder ${this.#options.dataDir} is full`);
  }

  /**
   * Makes space for a write that failed on a full disk and must not be given up: removes the ballast, or waits a moment
   * if that is removed already. Rejects with `StorageFailed` if this process ends and there is still no space.
   */
  async make(): Promise<void> {
    if (!this.#isFull) {
      this.#setFull(true);
      await this.#making;
      await dropBallast(this.#options.files, this.#options.dataDir).catch((error: unknown) => {
        // It is removed; flushing that is not essential. A write that still finds no space is held and retried.
        if (!isOutOfDescriptors(error)) throw error;
      });
      return;
    }
    await this.#wait(`The disk of ${this.#options.dataDir} is full: what ended runs could not be recorded`);
  }

  /** Waits a moment for a free file descriptor. Rejects with `StorageFailed` when this process ends. */
  async pause(): Promise<void> {
    await this.#wait(`There is no descriptor to write ${this.#options.dataDir} with: too many files are open`);
  }

  /** The end of the process also ends the wait, after one more try. */
  async #wait(whyGivenUp: string): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) throw new StorageFailed(whyGivenUp);
    await delay(HOLD_MS, undefined, { signal }).catch(() => undefined);
  }

  /** The process ends: every write that waits for space is tried once more. */
  endWaits(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.endWaits();
    await this.#making;
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#lookLater();
    this.#options.onChange?.(isFull);
  }

  #lookLater(): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#making = this.#look();
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { files, dataDir, ballastBytes = 0 } = this.#options;
    try {
      // Check before trying: the try itself takes space from lines that end runs. A quota may allow less than reported.
      if ((await files.freeBytes(dataDir)) < ballastBytes + MARGIN_BYTES) return this.#lookLater();
      await makeBallast(files, dataDir, ballastBytes, MARGIN_BYTES);
      this.#setFull(false);
    } catch {
      this.#lookLater();
    }
  }
}
