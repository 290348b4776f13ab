import { availableParallelism } from "node:os";
import { AskedProcess, ReaderFailed, type ReaderScript } from "../../processes/asked-process.ts";
import type { CatalogFolder } from "./catalog-folder.ts";
import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import type { CategoryData } from "../categories/categories-file.ts";
import type { FoldedReading } from "./folded-reading.ts";
import { readManifestBytes } from "../parsing/read-manifest-file.ts";
import type { ReadingAnswer, ReadingQuestion } from "./serve-readings.ts";

export interface FileToAsk {
  readonly file: string;
  readonly folder: CatalogFolder;
  readonly categories: { readonly digest: string; readonly data: CategoryData };
}

/** The processes were closed; callers of `read` get this error. */
export class ReadingEnded extends Error {
  override readonly name = "ReadingEnded";
}

/** Reads provider files that other people may have written, in separate processes. */
export interface ReadingProcesses extends AsyncDisposable {
  /** Throws ReadingEnded after `close`, and when `close` is called meanwhile. */
  read(file: FileToAsk): Promise<FoldedReading>;
  /** Nothing will be read for now: the processes end after a while. */
  rest(): void;
  /** Ends the processes for good, and cancels the reads in progress. */
  close(): Promise<void>;
}

/**
 * For one file. The largest allowed file needs a third of the memory, and a tenth of the time. docs/security.md, T27.
 */
const LIMITS = { timeoutMs: 60_000, memoryMegabytes: 768 };
/** A process takes 75 MB before it reads anything, and more of them help little. */
const MOST_AT_ONCE = 4;
/** A folder that is being filled changes again soon, and a process takes a tenth of a second to start. */
const REST_MS = 2_000;

/** At most `count` files are read at once. */
export function openReadingProcesses(script: ReaderScript, count: number): ReadingProcesses {
  const options = { script, limits: LIMITS, readsFiles: false };
  const size = Math.min(MOST_AT_ONCE, Math.max(1, count));
  const processes = Array.from({ length: size }, () => new AskedProcess(options));
  const free = [...processes];
  const waiting: ((one: AskedProcess) => void)[] = [];
  let resting: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function take(): Promise<AskedProcess> {
    return free.pop() ?? (await new Promise<AskedProcess>((resolve) => void waiting.push(resolve)));
  }

  function giveBack(one: AskedProcess): void {
    const next = waiting.shift();
    if (next === undefined) free.push(one);
    else next(one);
  }

  async function endAll(): Promise<void> {
    await Promise.all(processes.map((one) => one.close()));
  }

  return {
    async read({ file, folder, categories: { digest, data } }) {
      clearTimeout(resting);
      const unread = new ProblemList(file, () => undefined);
      const bytes = await readManifestBytes(file, unread);
      if (bytes === undefined) return withoutContent(unread.list());
      const asked = await take();
      const ask = async () => {
        if (isClosed) throw new ReadingEnded();
        return await askForReading(asked, { file, bytes, folder, digest }, data);
      };
      try {
        return await twiceIfEnded(ask);
      } catch (error) {
        if (!(error instanceof ReaderFailed)) throw error;
        if (isClosed) throw new ReadingEnded();
        return withoutContent([tellFailure(file, error)]);
      } finally {
        giveBack(asked);
      }
    },
    rest() {
      clearTimeout(resting);
      resting = setTimeout(() => void endAll(), REST_MS).unref();
    },
    async close() {
      isClosed = true;
      clearTimeout(resting);
      await endAll();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** For work that reads once: the processes end with it. Without a script it reads in this process. */
export async function readingApart<Result>(
  script: ReaderScript | undefined,
  work: (processes: ReadingProcesses | undefined) => Promise<Result>,
): Promise<Result> {
  if (script === undefined) return await work(undefined);
  await using processes = openReadingProcesses(script, availableParallelism());
  return await work(processes);
}

/** Retries once in a new process if the first one died: the cause may have been another file. */
async function twiceIfEnded(ask: () => Promise<FoldedReading>): Promise<FoldedReading> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ReaderFailed) || error.why !== "ended") throw error;
    return await ask();
  }
}

async function askForReading(
  asked: AskedProcess,
  question: ReadingQuestion,
  categories: CategoryData,
): Promise<FoldedReading> {
  const answer = (await asked.ask(question)) as ReadingAnswer;
  if (answer !== "which categories?") return answer;
  return (await asked.ask({ ...question, categories } satisfies ReadingQuestion)) as FoldedReading;
}

/** `file`: tried again; `size`: tried again only when the file has changed. */
function tellFailure(file: string, { why, message }: ReaderFailed): CatalogProblem {
  const problems = new ProblemList(file, () => undefined);
  const isPassing = why === "ended";
  problems.report(
    [],
    isPassing ? "file" : "size",
    `The file cannot be read: ${message}.${isPassing ? "" : " Split it."}`,
  );
  const [problem] = problems.list();
  if (problem === undefined) throw new Error("a problem that was reported is not listed");
  return problem;
}

function withoutContent(problems: readonly CatalogProblem[]): FoldedReading {
  return { alike: [], problems };
}
