import { access, constants, readlink, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorText } from "../../shared/error-text.ts";
import { type CliError, refusedInput } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { UnwrittenError } from "./unwritten-error.ts";
import { LineWriter } from "./line-writer.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import { writePrivateFile } from "./write-private-file.ts";
import { writeStreamedFile } from "./write-streamed-file.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** As a file, stdout: so that `-o -` prints the data alone. */
export const STDOUT_FILE = "-";

/** Where data goes: stdout, or the file of `-o`. No text of others reaches a terminal unsanitized. */
export class DataSink {
  readonly #isTerminal: boolean;
  readonly #stdout: LineWriter;
  readonly #file: string | undefined;
  readonly #note: (text: string) => Promise<void>;
  #printedBytes = 0;
  #wroteFile = false;

  constructor(io: CliIo, file: string | undefined, note: (text: string) => Promise<void>) {
    this.#isTerminal = io.isTty.stdout;
    this.#stdout = new LineWriter(io.stdout);
    this.#file = file;
    this.#note = note;
  }

  /** Whether there is a file, and nothing was written to it. */
  get isFileUnwritten(): boolean {
    return this.#file !== undefined && !this.#wroteFile;
  }

  /** What went to stdout. */
  get printedBytes(): number {
    return this.#printedBytes;
  }

  /** Whether whoever read stdout has gone (`mkt … | head`): what is written now is dropped. */
  get lostItsReader(): boolean {
    return this.#stdout.closedByReader;
  }

  /** Rejects with refused input where the file cannot be written: before anything is asked for, or paid. */
  async check(): Promise<void> {
    const path = this.#file;
    if (path === undefined || path === STDOUT_FILE) return;
    const there = await stat(path).catch((cause: unknown) => {
      if (systemErrorCode(cause) === "ENOENT") return undefined;
      throw unwritable(path, cause);
    });
    if (there?.isDirectory()) throw refusedInput(`${path} cannot be written: it is a folder.`);
    const needed = there === undefined ? dirname(await ledTo(path)) : path;
    await access(needed, constants.W_OK).catch((cause: unknown) => {
      throw unwritable(path, cause);
    });
  }

  /** To the file where there is one, else to stdout. */
  async write(text: string, isSecret = false): Promise<void> {
    if (this.#file === undefined) await this.#printText(text);
    else await this.writeFile(text, isSecret);
  }

  /** To stdout, text that is harmless as it stands. */
  async print(text: string): Promise<void> {
    this.#printedBytes += Buffer.byteLength(text);
    await this.#stdout.write(text).catch((cause: unknown) => {
      throw new UnwrittenError(exitCodes.failed, "stdout", text, cause);
    });
  }

  /** As `write`, for data in pieces; the file is replaced only when it is complete. */
  async stream(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#file !== undefined && this.#file !== STDOUT_FILE) {
      await this.#noteWritten(this.#file, await writeStreamedFile(this.#file, pieces));
      return;
    }
    const decoder = new TextDecoder();
    for await (const piece of pieces) {
      if (this.lostItsReader) return;
      await this.write(decoder.decode(piece, { stream: true }));
    }
  }

  /**
   * Bytes to the file, which must be set and is replaced only when they are complete. Rejects with refused input for a
   * terminal, which bytes would upset.
   */
  async writeBytes(bytes: Uint8Array): Promise<void> {
    const path = this.#file ?? "";
    if (path === STDOUT_FILE) {
      this.#wroteFile = true;
      if (this.#isTerminal) throw refusedInput("The data is bytes, which are not for a terminal: name a file with -o.");
      this.#printedBytes += bytes.length;
      return await this.#stdout.write(bytes);
    }
    const written = await writeStreamedFile(path, one(bytes)).catch((cause: unknown) => {
      throw new UnwrittenError(exitCodes.refused, path, "", cause);
    });
    await this.#noteWritten(path, written);
  }

  /** To the file, which must be set; a secret is readable only by its owner. */
  async writeFile(text: string, isSecret = false): Promise<void> {
    const path = this.#file ?? "";
    if (path === STDOUT_FILE) {
      this.#wroteFile = true;
      return this.#printText(text);
    }
    try {
      // What is written after the first is more of the same.
      const flag = this.#wroteFile ? "a" : "w";
      await (isSecret ? writePrivateFile(path, text) : writeFile(path, text, { flag }));
    } catch (cause) {
      throw new UnwrittenError(exitCodes.refused, path, text, cause);
    }
    await this.#noteWritten(path, Buffer.byteLength(text));
  }

  /** The command has written the file itself. */
  leaveFile(): void {
    this.#wroteFile = true;
  }

  /** Says that the file of `-o` was not written to. */
  async noteUnwritten(): Promise<void> {
    await this.#note(`Nothing was written to ${this.#file}: there is no data to write.`);
  }

  #printText(text: string): Promise<void> {
    return this.print(this.#isTerminal ? sanitizeText(text) : text);
  }

  async #noteWritten(path: string, bytes: number): Promise<void> {
    this.#wroteFile = true;
    await this.#note(`Wrote ${bytes} bytes to ${path}`);
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A link that leads to no file yet is written through: what counts is the folder that the file will be in. */
async function ledTo(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : resolve(dirname(path), link);
}

function unwritable(path: string, cause: unknown): CliError {
  return refusedInput(`${path} cannot be written: ${errorText(cause)}`);
}
