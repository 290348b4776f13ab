import { AskedThread, ThreadFailed, type ThreadScript } from "../threads/asked-thread.ts";
import { ProblemList } from "./catalog-problem.ts";
import type { FoldedReading } from "./folded-reading.ts";
import type { ReadingQuestion } from "./serve-readings.ts";

/** Reads large provider files beside the work of the daemon. */
export interface ReadingThreads {
  read(question: ReadingQuestion): Promise<FoldedReading>;
  /** Ends the threads; the next reading starts new ones. */
  rest(): Promise<void>;
}

/** Far more than the largest file that is read takes. Security design, T27. */
const LIMITS = { timeoutMs: 60_000, memoryMegabytes: 1_024 };

/** At most `count` files are read at once. */
export function openReadingThreads(script: ThreadScript, count: number): ReadingThreads {
  const threads = Array.from({ length: count }, () => new AskedThread(script, LIMITS));
  const free = [...threads];
  const waiting: ((thread: AskedThread) => void)[] = [];

  async function take(): Promise<AskedThread> {
    return free.pop() ?? (await new Promise<AskedThread>((resolve) => void waiting.push(resolve)));
  }

  function giveBack(thread: AskedThread): void {
    const next = waiting.shift();
    if (next === undefined) free.push(thread);
    else next(thread);
  }

  return {
    async read(question) {
      const thread = await take();
      try {
        return JSON.parse((await thread.ask(question)) as string) as FoldedReading;
      } catch (error) {
        if (!(error instanceof ThreadFailed)) throw error;
        const problems = new ProblemList(question.file, () => undefined);
        problems.report([], "size", `The file cannot be read: ${error.message}. Split it.`);
        return { alike: [], problems: problems.list() };
      } finally {
        giveBack(thread);
      }
    },
    async rest() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
