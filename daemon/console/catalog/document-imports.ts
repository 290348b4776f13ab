import { join } from "node:path";
import type {
  ImportDocumentRequest,
  ImportedManifest,
  PreviewImportRequest,
} from "../../../shared/contract/catalog-views.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type Clock, isoNow } from "../../base/clock.ts";

export interface DocumentImportsParts {
  readonly configDir: string;
  readonly bundledDir: string | undefined;
  /** The built script of the process that reads documents; undefined where the sources run as they are, which read here. */
  readonly worker: string | undefined;
  /** Whether several daemons serve one catalog, each from its own folder. */
  readonly isShared: boolean;
  readonly clock: Clock;
  /** Whether a provider of this slug is in the catalog, from whichever folder, or would be without mistakes in its file. */
  readonly isServed: (slug: string) => boolean;
}

/** Documents that people send to have provider files made of them. Operators only. */
export interface DocumentImports {
  /** Writes nothing. Throws invalidInput for a document that gives none, conflict for a name that is taken. */
  preview(request: PreviewImportRequest): Promise<ImportedManifest>;
  /** As `preview`, then writes the file. Throws conflict, too, where several daemons serve one catalog. */
  write(request: ImportDocumentRequest): Promise<ImportedManifest>;
}

/** Another document waits for its turn: a process takes half a gigabyte at most, and more than one would be too much. */
const MOST_WAITING = 4;
const WHY_SHARED =
  "Several daemons serve this catalog, each from its own folder. Put the file into the catalog folder of each of them.";

export function createDocumentImports({
  configDir,
  bundledDir,
  worker,
  isShared,
  clock,
  isServed,
}: DocumentImportsParts): DocumentImports {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= MOST_WAITING) {
      throw new ApiError("unavailable", "Other documents are being read; try again in a minute", {
        retryAfterSeconds: 60,
      });
    }
    waiting += 1;
    const mine = last.then(work);
    last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  }

  async function make(request: PreviewImportRequest, writes: boolean): Promise<ImportedManifest> {
    const { document, fileName = "document", provider, price, baseUrl } = request;
    // Loaded with the first document: few daemons ever get one.
    const [{ importText }, { ImportRefused }, importer] = await Promise.all([
      import("../../import/import-text.ts"),
      import("../../import/conversion/imported-provider.ts"),
      openImporter(worker),
    ]);
    try {
      const asked = {
        document,
        fileName: nameOnly(fileName),
        ...(provider !== undefined && { slug: provider }),
        ...(price !== undefined && { priceUsd: price }),
        ...(baseUrl !== undefined && { baseUrl }),
        writes,
        today: isoNow(clock).slice(0, 10),
      };
      const { file, text, summary } = await importText(asked, {
        importer,
        out: join(configDir, "catalog"),
        bundledDir,
        isServed,
      });
      const { endpoints, skipped, off, notes, pricesToSet, secrets, needsGrant, displayName } = summary;
      return {
        provider: summary.provider,
        displayName,
        file,
        text,
        endpoints: [...endpoints],
        skipped: [...skipped],
        off: [...off],
        notes: [...notes],
        pricesToSet: [...pricesToSet],
        secrets: [...secrets],
        needsGrant,
        ...(isShared && { cannotWrite: WHY_SHARED }),
      };
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      const isTaken = error.rule === "slug" || error.rule === "out";
      throw new ApiError(isTaken ? "conflict" : "invalidInput", error.message, { cause: error });
    } finally {
      await importer.close();
    }
  }

  return {
    preview: async (request) => await inTurn(async () => await make(request, false)),
    async write(request) {
      if (isShared) throw new ApiError("conflict", WHY_SHARED);
      return await inTurn(async () => await make(request, true));
    },
  };
}

/** In a process of its own that can read no file; one for each document. docs/security.md, T27. */
async function openImporter(worker: string | undefined) {
  if (worker === undefined) {
    const { InProcessImporter } = await import("../../import/in-process-importer.ts");
    return new InProcessImporter();
  }
  const { WORKER_LIMITS, WorkerImporter } = await import("../../import/worker-importer.ts");
  return new WorkerImporter(worker, WORKER_LIMITS, { readsFiles: false });
}

/** Without folders and addresses, which the name of an upload may look like, and on one line. */
function nameOnly(fileName: string): string {
  return (
    fileName
      .replace(/^.*[/\\]/s, "")
      .replace(/[^\p{L}\p{N}._ -]/gu, "")
      .trim() || "document"
  );
}
