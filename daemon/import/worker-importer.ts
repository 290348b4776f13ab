import { resolve } from "node:path";
import type {
  ComposedManifest,
  ComposeRequest,
  ConvertedDocument,
  ConvertRequest,
  DocumentImporter,
  DocumentSource,
} from "./steps/import-steps.ts";
import { AskedProcess, ReaderFailed, type ReaderLimits } from "../processes/asked-process.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import type { OperationPrints } from "./documents/operation-prints.ts";
import type { ImportQuestion, ImportReply } from "./serve-imports.ts";

export const WORKER_LIMITS: ReaderLimits = { timeoutMs: 60_000, memoryMegabytes: 512 };

/**
 * Reads and converts in a process that is killed when a document takes too long or too much memory; the next document
 * gets a new one. Such a document is refused like any other. docs/security.md, T27.
 */
export class WorkerImporter implements DocumentImporter {
  readonly #process: AskedProcess;

  /**
   * `file`: the built `import-worker.cjs`. `limits`: for one step of one document. `readsFiles`: false where documents come as
   * bytes alone; the process then cannot read any file.
   */
  constructor(file: string, limits: ReaderLimits, { readsFiles = true } = {}) {
    this.#process = new AskedProcess({ script: file, limits, readsFiles });
  }

  /** Starts the process before the first document, so that it gets ready while the folder is looked through. */
  start(): void {
    this.#process.start();
  }

  async convert(request: ConvertRequest): Promise<ConvertedDocument> {
    return (await this.#ask({
      step: "convert",
      request: { ...request, source: placed(request.source) },
    })) as ConvertedDocument;
  }

  async compose(request: ComposeRequest): Promise<ComposedManifest> {
    return (await this.#ask({ step: "compose", request })) as ComposedManifest;
  }

  async print(source: DocumentSource): Promise<{ sha256: string; operations: OperationPrints }> {
    return (await this.#ask({ step: "print", request: placed(source) })) as {
      sha256: string;
      operations: OperationPrints;
    };
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #ask(question: ImportQuestion): Promise<unknown> {
    const reply = (await this.#process.ask(question).catch(toRefused)) as ImportReply;
    if (reply.kind === "refused") throw new ImportRefused(reply.rule, reply.message, reply.line);
    if (reply.kind === "failed") throw new Error(reply.message);
    return reply.result;
  }
}

/** Absolute paths, because the process has a different working directory. */
function placed(source: DocumentSource): DocumentSource {
  return source.kind === "file" ? { ...source, path: resolve(source.path) } : source;
}

function toRefused(error: unknown): never {
  if (!(error instanceof ReaderFailed) || error.why === "failed") throw error;
  const [first = "", ...rest] = error.message;
  const what = `${first.toUpperCase()}${rest.join("")}`;
  if (error.why === "ended") throw new ImportRefused("ended", `${what}. Nothing of it was written; import it again.`);
  const flag = error.why === "time" ? "--time-limit" : "--memory-limit";
  throw new ImportRefused(error.why, `${what}. Split it, or raise ${flag}.`);
}
