import type {
  ComposedManifest,
  ComposeRequest,
  ConvertedDocument,
  ConvertRequest,
  DocumentImporter,
  DocumentSource,
} from "./import-steps.ts";
import { AskedThread, ThreadFailed, type ThreadLimits } from "../threads/asked-thread.ts";
import { ImportRefused } from "./imported-provider.ts";
import type { OperationPrints } from "./operation-prints.ts";
import type { ImportQuestion, ImportReply } from "./serve-imports.ts";

export const WORKER_LIMITS: ThreadLimits = { timeoutMs: 60_000, memoryMegabytes: 512 };

/**
 * Reads and converts in a thread that is ended when a document takes too long or too much; the next document gets a new
 * one. Such a document is refused like any other. Security design, T27.
 */
export class WorkerImporter implements DocumentImporter {
  readonly #thread: AskedThread;

  /** `file`: the built `import-worker.js`. `limits`: of one step of one document. */
  constructor(file: string, limits: ThreadLimits) {
    this.#thread = new AskedThread(file, limits);
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
    await this.#thread.close();
  }

  async #ask(question: ImportQuestion): Promise<unknown> {
    const reply = (await this.#thread.ask(question).catch(refuseOverLimits)) as ImportReply;
    if (reply.kind === "refused") throw new ImportRefused(reply.rule, reply.message, reply.line);
    if (reply.kind === "failed") throw new Error(reply.message);
    return reply.result;
  }
}

function refuseOverLimits(error: unknown): never {
  if (!(error instanceof ThreadFailed) || error.why === "crash") throw error;
  const flag = error.why === "time" ? "--time-limit" : "--memory-limit";
  const [first = "", ...rest] = error.message;
  throw new ImportRefused(error.why, `${first.toUpperCase()}${rest.join("")}. Split it, or raise ${flag}.`);
}
