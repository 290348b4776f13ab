import { setTimeout as delay } from "node:timers/promises";
import { DiskFull, StorageFailed } from "../../ledger/commit-errors.ts";
import type { Line } from "../../ledger/transaction.ts";
import { isOutOfDescriptors, type Files } from "../files.ts";
import { dropBallast, isNoRoom, makeBallast } from "./ballast.ts";
import { mayWait } from "./may-wait.ts";

/*
 * Whether the disk takes more. docs/storage.md, "A full disk".
 *
 *   now       what happens                             then
 *   room      a write finds no room                    full: the ballast is given up, what may wait is refused
 *   full      a write finds no room                    full: it is held and tried again, as long as it takes
 *   full      the ballast fits again, with a margin    room
 */

/** How often it is looked whether there is room again, and how long a write is held before it is tried again. */
const LOOK_EVERY_MS = 1_000;
const HOLD_MS = 250;
/** Left free beside the ballast before new work is taken, so that the mode is not entered again at once. */
const MARGIN_BYTES = 1_024 * 1_024;

export interface DiskRoomOptions {
  readonly files: Files;
  readonly dataDir: string;
  /** 0: no ballast. Absent: a ballast that is there stays, and is given up like any other. */
  readonly ballastBytes?: number;
  /** The disk has become full, or has room again. */
  readonly onChange?: (isFull: boolean) => void;
  /** Work beside the writing failed, such as making the ballast on a disk that has room. */
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

  /** Makes the ballast, beside all else; a disk that has no room for it is full from the start. */
  start(): void {
    const { files, dataDir, ballastBytes } = this.#options;
    if (ballastBytes === undefined) return;
    this.#making = makeBallast(files, dataDir, ballastBytes).catch((error: unknown) => {
      if (isNoRoom(error)) this.#setFull(true);
      else this.#options.onProblem?.(error);
    });
  }

  /** Throws `DiskFull` when the line has to wait until there is room. */
  checkRoomFor(line: Line): void {
    if (this.#isFull && mayWait(line)) throw this.refusal();
  }

  refusal(): DiskFull {
    return new DiskFull(`The disk of the data folder ${this.#options.dataDir} is full`);
  }

  /**
   * For whoever was refused for want of room and must not give up: gives up the ballast, or waits a moment when that was
   * done before. Rejects with `StorageFailed` when this process ends and there still is no room.
   */
  async make(): Promise<void> {
    if (!this.#isFull) {
      this.#setFull(true);
      await this.#making;
      await dropBallast(this.#options.files, this.#options.dataDir).catch((error: unknown) => {
        // It is gone; that this is flushed only helps. What finds no room all the same is held, and tried again.
        if (!isOutOfDescriptors(error)) throw error;
      });
      return;
    }
    await this.#wait(`The disk of ${this.#options.dataDir} is full: what ended runs could not be recorded`);
  }

  /** A moment, for whoever lacks a descriptor and must not give up. Rejects with `StorageFailed` when this process ends. */
  async pause(): Promise<void> {
    await this.#wait(`There is no descriptor to write ${this.#options.dataDir} with: too many files are open`);
  }

  /** The end of the process ends the waiting, too, and then it is tried once more. */
  async #wait(whyGivenUp: string): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) throw new StorageFailed(whyGivenUp);
    await delay(HOLD_MS, undefined, { signal }).catch(() => undefined);
  }

  /** The process ends: whoever waits for room gets one more try. */
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
      // Trying it out takes the room away from what ends runs, so it is asked first. A quota may allow less than it says.
      if ((await files.freeBytes(dataDir)) < ballastBytes + MARGIN_BYTES) return this.#lookLater();
      await makeBallast(files, dataDir, ballastBytes, MARGIN_BYTES);
      this.#setFull(false);
    } catch {
      this.#lookLater();
    }
  }
}
