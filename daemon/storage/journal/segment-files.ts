import { join } from "node:path";
import { readFully, type Files, type OpenFile } from "../files.ts";
import { JournalCorrupt } from "../storage-errors.ts";
import type { LineAddress } from "./journal.ts";
import { decodeLine, type DecodedLine } from "./line-codec.ts";

/** Reads single lines back out of segments. A segment stays open once it was read. */
export class SegmentFiles {
  readonly #files: Files;
  readonly #folder: string;
  readonly #names = new Map<number, string>();
  readonly #open = new Map<number, Promise<OpenFile>>();

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  add(number: number, name: string): void {
    this.#names.set(number, name);
  }

  /** Content of the line. Rejects with `JournalCorrupt` when it is not what was written. */
  async read(address: LineAddress): Promise<DecodedLine["content"]> {
    const file = await this.#openSegment(address.segment);
    const bytes = await readFully(file, address.offset, address.length);
    const line = bytes.length < address.length ? "the file is shorter than it was" : decodeLine(bytes);
    if (typeof line === "string") throw this.damaged(address, line);
    return line.content;
  }

  damaged(address: LineAddress, why: string): JournalCorrupt {
    return new JournalCorrupt(this.#pathOf(address.segment), address.offset, why);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(async (file) => (await file).close()));
  }

  #pathOf(number: number): string {
    const name = this.#names.get(number);
    if (name === undefined) throw new Error(`there is no segment ${number} of the journal`);
    return join(this.#folder, name);
  }

  #openSegment(number: number): Promise<OpenFile> {
    const known = this.#open.get(number);
    if (known !== undefined) return known;
    const opening = this.#files.openForReading(this.#pathOf(number));
    this.#open.set(number, opening);
    opening.catch(() => this.#open.delete(number));
    return opening;
  }
}
