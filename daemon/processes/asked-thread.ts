import { Worker } from "node:worker_threads";
import { systemErrorCode } from "../../shared/system-error-code.ts";

export interface ThreadLimits {
  /** For one question. */
  readonly timeoutMs: number;
  readonly memoryMegabytes: number;
}

/** A built script that answers its parent's questions: the path of its file, or its text, which is CommonJS then. */
export type ThreadScript = string | Uint8Array;

/** Why a thread gave no answer. */
export class ThreadFailed extends Error {
  override readonly name = "ThreadFailed";
  readonly why: "time" | "memory" | "crash";

  constructor(why: ThreadFailed["why"], message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
  }
}

/**
 * A thread that answers one question after the other, with one message for each. If it takes too long or too much
 * memory it is terminated; the next question gets a new one.
 */
export class AskedThread {
  readonly #script: ThreadScript;
  readonly #data: (() => unknown) | undefined;
  readonly #limits: ThreadLimits;
  #worker: Worker | undefined;

  /** `data`: passed to each thread when it starts. */
  constructor(script: ThreadScript, limits: ThreadLimits, data?: () => unknown) {
    this.#script = script;
    this.#data = data;
    this.#limits = limits;
  }

  /** Throws ThreadFailed. Must not be called again before it has answered. */
  async ask(question: unknown): Promise<unknown> {
    this.#worker ??= this.#start();
    try {
      return await this.#answerOf(this.#worker, question);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const { memoryMegabytes } = this.#limits;
    const script = this.#script;
    const worker = new Worker(typeof script === "string" ? script : Buffer.from(script).toString("utf8"), {
      eval: typeof script !== "string",
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      workerData: this.#data?.(),
    });
    // If it ends between two questions, the next one reports it.
    worker.on("error", () => {});
    return worker;
  }

  async #answerOf(worker: Worker, question: unknown): Promise<unknown> {
    const { timeoutMs, memoryMegabytes } = this.#limits;
    let settle: (() => void) | undefined;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        const fail = (why: ThreadFailed["why"], message: string, cause?: unknown) =>
          reject(new ThreadFailed(why, message, cause));
        const onError = (error: Error) => {
          if (isOutOfMemory(error)) fail("memory", `it takes more memory than ${memoryMegabytes} MB`, error);
          else fail("crash", error.message, error);
        };
        const onExit = (code: number) => fail("crash", `the thread ended with code ${code}`);
        const timer = setTimeout(() => fail("time", `it takes longer than ${timeoutMs / 1_000} s`), timeoutMs);
        worker.once("message", resolve).once("error", onError).once("exit", onExit);
        settle = () => {
          clearTimeout(timer);
          worker.off("message", resolve).off("error", onError).off("exit", onExit);
        };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(question);
      });
    } finally {
      settle?.();
    }
  }
}

function isOutOfMemory(error: Error): boolean {
  return systemErrorCode(error) === "ERR_WORKER_OUT_OF_MEMORY";
}
