import { Worker } from "node:worker_threads";
import type {
  ComposedManifest,
  ComposeRequest,
  ConvertedDocument,
  ConvertRequest,
  DocumentImporter,
  DocumentSource,
} from "./import-steps.ts";
import { ImportRefused } from "./imported-provider.ts";
import type { OperationPrints } from "./operation-prints.ts";
import type { ImportQuestion, ImportReply } from "./serve-imports.ts";

export interface WorkerLimits {
  /** Of one step of one document. */
  readonly timeoutMs: number;
  readonly memoryMegabytes: number;
}

export const WORKER_LIMITS: WorkerLimits = { timeoutMs: 60_000, memoryMegabytes: 512 };

/**
 * Reads and converts in a thread that is ended when a document takes too long or too much; the next document gets a new
 * one. Such a document is refused like any other. Security design, T27.
 */
export class WorkerImporter implements DocumentImporter {
  readonly #file: string;
  readonly #limits: WorkerLimits;
  #worker: Worker | undefined;

  /** `file`: the built `import-worker.js`. */
  constructor(file: string, limits: WorkerLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  async convert(request: ConvertRequest): Promise<ConvertedDocument> {
    return (await this.#ask({ step: "convert", request })) as ConvertedDocument;
  }

  async compose(request: ComposeRequest): Promise<ComposedManifest> {
    return (await this.#ask({ step: "compose", request })) as ComposedManifest;
  }

  async print(source: DocumentSource): Promise<{ sha256: string; operations: OperationPrints }> {
    return (await this.#ask({ step: "print", request: source })) as { sha256: string; operations: OperationPrints };
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(question: ImportQuestion): Promise<unknown> {
    const worker = (this.#worker ??= this.#start());
    let reply: ImportReply;
    try {
      reply = await this.#replyOf(worker, question);
    } catch (error) {
      await this.close();
      throw error;
    }
    if (reply.kind === "refused") throw new ImportRefused(reply.rule, reply.message, reply.line);
    if (reply.kind === "failed") throw new Error(reply.message);
    return reply.result;
  }

  #start(): Worker {
    const { memoryMegabytes } = this.#limits;
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes } });
    // One that ends between two questions is told with the next one.
    worker.on("error", () => {});
    return worker;
  }

  async #replyOf(worker: Worker, question: ImportQuestion): Promise<ImportReply> {
    const { timeoutMs, memoryMegabytes } = this.#limits;
    let settle: (() => void) | undefined;
    try {
      return await new Promise<ImportReply>((resolve, reject) => {
        const onError = (error: Error) => reject(isOutOfMemory(error) ? overMemory(memoryMegabytes) : error);
        const onExit = (code: number) => reject(new Error(`the import thread ended with code ${code}`));
        const timer = setTimeout(() => reject(overTime(timeoutMs)), timeoutMs);
        worker.once("message", resolve).once("error", onError).once("exit", onExit);
        settle = () => {
          clearTimeout(timer);
          worker.off("message", resolve).off("error", onError).off("exit", onExit);
        };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and no window
        worker.postMessage(question);
      });
    } finally {
      settle?.();
    }
  }
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function overMemory(megabytes: number): ImportRefused {
  return new ImportRefused("memory", `It takes more memory than ${megabytes} MB. Split it, or raise --memory-limit.`);
}

function overTime(milliseconds: number): ImportRefused {
  return new ImportRefused("time", `It took longer than ${milliseconds / 1_000} s. Split it, or raise --time-limit.`);
}
