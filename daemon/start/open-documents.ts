import type { z } from "zod";
import type { Logger } from "../base/logger.ts";
import { type Document, openDocument } from "../storage/documents/documents.ts";
import { nodeFiles } from "../storage/files.ts";
import { ensureFolder } from "../storage/journal/data-folder.ts";

/** The small documents of a data folder. */
export interface Documents {
  /** The folder that they are in. */
  readonly dir: string;
  /** As `openDocument`; logs problems of a file that could be repaired. */
  open<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    defaults: z.infer<Schema>,
  ): Promise<Document<z.infer<Schema>>>;
}

export async function openDocuments(dataDir: string, logger: Logger): Promise<Documents> {
  const dir = await ensureFolder(nodeFiles(), dataDir, "docs");
  const onWarning = (message: string) => logger.warn({}, message);
  return {
    dir,
    open: async (name, schema, defaults) => await openDocument(`${dir}/${name}`, schema, defaults, { onWarning }),
  };
}
