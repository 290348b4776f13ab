import type { RunId } from "../../../base/ids.ts";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { setImmediate as othersWere } from "node:timers/promises";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import { writeDurably } from "../../durable-file.ts";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { readFully, removeIfThere, type Files } from "../../files.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { ensureFolder } from "../folder/data-folder.ts";
import type { LineBody } from "../segments/line-codec.ts";

/*
 * Large outputs lie beside the journal, one file each: `blobs/ab/<sha256>` with `{"run":"01…","output":…}`. The run is part
 * of the content, so a file belongs to one line and goes with it. The file is on the disk before the line is; a file whose
 * line never came is swept. Source: docs/storage.md, "Outputs".
 */

/** JSON of an output from which it gets a file of its own, in bytes. */
const LARGE_BYTES = 64 * 1_024;
/** Enough of a file to read which run it belongs to. */
const HEAD_BYTES = 256;
const DIGEST_DIGITS = 64;

type RunDone = Extract<Line, { t: "run.done" }>;
export type OutputReference = NonNullable<RunDone["out"]>;

export interface PreparedLine {
  readonly line: Line;
  readonly body: LineBody;
}

/** A line cannot be written before its output is in a file, which `Outputs.keep` writes. */
export class LargeOutput extends Error {
  override readonly name = "LargeOutput";

  constructor(
    readonly runId: RunId,
    readonly output: unknown,
  ) {
    super(`the output of run ${runId} goes into a file of its own`);
  }
}

/** An output in a file. Without a reference, the file could not be written, and the line contains the output itself. */
export interface KeptOutput {
  readonly output: unknown;
  readonly reference?: OutputReference;
}

export class Outputs {
  readonly #files: Files;
  readonly #folder: string;
  readonly #onProblem: ((error: unknown) => void) | undefined;
  /** Files of this process that no durable line refers to; such a line may be about to be written. */
  readonly #made = new Set<string>();
  #sweeping: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  static async open(
    files: Files,
    dataDir: string,
    onProblem: ((error: unknown) => void) | undefined,
  ): Promise<Outputs> {
    return new Outputs(files, await ensureFolder(files, dataDir, "blobs"), onProblem);
  }

  private constructor(files: Files, folder: string, onProblem: ((error: unknown) => void) | undefined) {
    this.#files = files;
    this.#folder = folder;
    this.#onProblem = onProblem;
  }

  /** The line as it is written, with its text by `bodyOf`. Throws `LargeOutput` if its output must be stored first. */
  prepare(line: Line, bodyOf: (line: Line) => LineBody, kept?: KeptOutput): PreparedLine {
    if (line.t !== "run.done") return { line, body: bodyOf(line) };
    const { output } = line.rec;
    if (kept?.reference !== undefined && kept.output === output) {
      const short: RunDone = { ...line, rec: { ...line.rec, output: null }, out: kept.reference };
      return { line: short, body: bodyOf(short) };
    }
    // Before it is written once for the line, and once more for its file.
    if (kept === undefined && isSurelyLarge(output)) throw new LargeOutput(line.run, output);
    const body = bodyOf(line);
    if (kept === undefined && body.bytes > LARGE_BYTES && isLarge(output)) throw new LargeOutput(line.run, output);
    return { line, body };
  }

  /** When this resolves with a reference, the output is on the disk. */
  async keep({ runId, output }: LargeOutput): Promise<KeptOutput> {
    const bytes = Buffer.from(JSON.stringify({ run: runId, output }));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    this.#made.add(sha256);
    try {
      const folder = await ensureFolder(this.#files, this.#folder, sha256.slice(0, 2));
      await writeDurably(this.#files, folder, sha256, bytes);
      return { output, reference: { sha256, bytes: bytes.length } };
    } catch (error) {
      // The line will contain the output instead; if the journal cannot write it either, it reports that itself.
      this.#onProblem?.(error);
      return { output };
    }
  }

  /** A line that refers to the file is durable. */
  noteNamed({ sha256 }: OutputReference): void {
    this.#made.delete(sha256);
  }

  /** Rejects with `JournalCorrupt` when the file is not what was written. */
  async read({ sha256, bytes }: OutputReference): Promise<unknown> {
    const path = this.#pathOf(sha256);
    const content = await readIfThere(this.#files, path);
    if (content === undefined) throw new JournalCorrupt(path, 0, "the file is missing; it holds the output of a run");
    if (content.length !== bytes || createHash("sha256").update(content).digest("hex") !== sha256) {
      throw new JournalCorrupt(path, 0, "its content does not fit its name");
    }
    const { output } = JSON.parse(content.toString("utf8")) as { readonly output: unknown };
    // Yields to other work before the output is written for the caller.
    await othersWere();
    return output;
  }

  /** When this resolves, the file is gone for good. */
  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256);
    await removeIfThere(this.#files, path);
    await this.#files.syncDirectory(dirname(path));
  }

  /**
   * Begins to remove, beside all else, the files that no line names. `isNamed`: whether the line that ended the run names the
   * file.
   */
  startSweep(isNamed: (runId: RunId, sha256: string) => Promise<boolean>): void {
    this.#sweeping = this.#sweep(isNamed).catch((error: unknown) => this.#onProblem?.(error));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#sweeping;
  }

  async #sweep(isNamed: (runId: RunId, sha256: string) => Promise<boolean>): Promise<void> {
    for (const prefix of await this.#files.list(this.#folder)) {
      const folder = join(this.#folder, prefix);
      for (const name of await this.#files.list(folder)) {
        if (this.#isClosing) return;
        if (this.#made.has(name.slice(0, DIGEST_DIGITS))) continue;
        const runId = await this.#runOf(join(folder, name));
        if (runId === undefined || !(await isNamed(runId, name))) await removeIfThere(this.#files, join(folder, name));
      }
    }
  }

  async #runOf(path: string): Promise<string | undefined> {
    const file = await this.#files.openForReading(path);
    try {
      return /^\{"run":"([^"\\]+)"/.exec((await readFully(file, 0, HEAD_BYTES)).toString("utf8"))?.[1];
    } finally {
      await file.close();
    }
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }
}

function isLarge(output: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(output) ?? "") > LARGE_BYTES;
}

/** True if its strings and names alone are too large; stops as soon as that is clear. */
function isSurelyLarge(output: unknown): boolean {
  let left = LARGE_BYTES;
  const open: unknown[] = [output];
  while (open.length > 0 && left >= 0) {
    const value = open.pop();
    left -= typeof value === "string" ? value.length + 2 : 1;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      if (value.length > left) return true;
      open.push(...(value as readonly unknown[]));
      continue;
    }
    // Not `Object.keys`, which would make a list for each object of each output.
    for (const name in value) {
      const member = (value as Readonly<Record<string, unknown>>)[name];
      if (member === undefined) continue;
      if (left < 0) return true;
      left -= name.length + 3;
      open.push(member);
    }
  }
  return left < 0;
}

async function readIfThere(files: Files, path: string): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
