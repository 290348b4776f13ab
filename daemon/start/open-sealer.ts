import { randomBytes } from "node:crypto";
import { createSealer, type Sealer, SealingKeyDocument } from "../http/cursors/sealer.ts";
import type { Logger } from "../base/logger.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";

export interface OpenSealerParts {
  readonly documents: DocumentStore;
  readonly logger: Logger;
  /** Number of the newest line that was there at the start. */
  readonly lastNumber: number;
}

/**
 * The sealer with the key of this data folder, made at the first start. A document like the others and no part of the program:
 * daemons that share a database share it there, and of several first starts one key counts.
 */
export async function openSealer({ documents, logger, lastNumber }: OpenSealerParts): Promise<Sealer> {
  const made = { key: randomBytes(32).toString("hex"), unsealedUpTo: lastNumber };
  const document = await documents.open("sealing-key.json", SealingKeyDocument, made);
  if (document.data.key === made.key) {
    // Without room on the disk it serves until the next start; cursors end then, and nothing else does.
    await document
      .update(() => {})
      .catch((err: unknown) => {
        logger.warn({ err }, `${documents.placeOf("sealing-key.json")} could not be written`);
      });
  }
  const { key, unsealedUpTo } = document.data;
  return createSealer(Buffer.from(key, "hex"), unsealedUpTo);
}
