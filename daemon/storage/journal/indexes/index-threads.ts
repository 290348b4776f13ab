import { availableParallelism } from "node:os";
import { AskedThread, type ThreadLimits, type ThreadScript } from "../../../processes/asked-thread.ts";
import { errorText } from "../../../../shared/error-text.ts";
import type { Files } from "../../files.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { decodeIndexHeader, INDEX_VERSION } from "./index-file.ts";
import type { SegmentSpan } from "../segments/segment.ts";
import { buildIndex, type MakeIndex } from "./segment-index.ts";
import type { IndexQuestion, IndexReply } from "./serve-index-making.ts";

/** For one segment, with a wide margin: one that hangs is made in the daemon's own thread. */
const LIMITS: ThreadLimits = { timeoutMs: 120_000, memoryMegabytes: 512 };
const MOST = 4;

/** Makes indexes of segments in threads, which end with `close`. */
export class IndexThreads {
  readonly #folder: string;
  readonly #script: () => Promise<ThreadScript>;
  readonly #onProblem: ((error: unknown) => void) | undefined;
  readonly #idle: AskedThread[] = [];
  readonly #all: AskedThread[] = [];
  /** One has failed: the next would, too. */
  #isUseless = false;
  /** How many segments are worth being made at a time. */
  readonly atOnce = Math.min(MOST, availableParallelism());

  /** `onProblem` is called once, when a thread fails and the indexes are left to the daemon's own. */
  constructor(folder: string, script: () => Promise<ThreadScript>, onProblem?: (error: unknown) => void) {
    this.#folder = folder;
    this.#script = script;
    this.#onProblem = onProblem;
  }

  /**
   * The content of the index; undefined if no thread could make it, so that it has to be made here. Rejects with
   * `JournalCorrupt`.
   */
  async make(span: SegmentSpan): Promise<Buffer | undefined> {
    const reply = await this.#ask({ folder: this.#folder, span });
    if (reply?.kind === "corrupt") throw new JournalCorrupt(reply.file, reply.offset, reply.why);
    if (reply === undefined) return undefined;
    if (reply.kind === "failed") return this.#giveUp(new Error(reply.message));
    const bytes = Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
    // The script may be of a program that was installed meanwhile.
    if (decodeIndexHeader(bytes)?.v === INDEX_VERSION) return bytes;
    return this.#giveUp(new Error("the thread's script is of another version of mkt"));
  }

  async close(): Promise<void> {
    this.#idle.length = 0;
    await Promise.all(this.#all.splice(0).map((thread) => thread.close()));
  }

  async #ask(question: IndexQuestion): Promise<IndexReply | undefined> {
    if (this.#isUseless) return undefined;
    try {
      const thread = this.#idle.pop() ?? (await this.#begin());
      const reply = (await thread.ask(question)) as IndexReply;
      this.#idle.push(thread);
      return reply;
    } catch (error) {
      return this.#giveUp(error);
    }
  }

  #giveUp(cause: unknown): undefined {
    if (this.#isUseless) return;
    this.#isUseless = true;
    const why = `Indexes are made without threads, which takes longer: ${errorText(cause)}`;
    this.#onProblem?.(new Error(why, { cause }));
  }

  async #begin(): Promise<AskedThread> {
    const thread = new AskedThread(await this.#script(), LIMITS);
    this.#all.push(thread);
    return thread;
  }
}

/** In threads where there are any and they can, else here. */
export function makeIndexWith(
  { files, folder }: { readonly files: Files; readonly folder: string },
  threads: IndexThreads | undefined,
): MakeIndex {
  return async (span) => (await threads?.make(span)) ?? (await buildIndex(files, folder, span));
}
