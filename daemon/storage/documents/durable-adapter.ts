import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { Adapter } from "lowdb";
import type { z } from "zod";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { removeIfThere, writeFully, type Files } from "../files.ts";
import { DocumentInvalid } from "./document-invalid.ts";

/** A document is small; what grows belongs in the journal. Source: docs/storage.md, "Small documents". */
const MAX_DOCUMENT_BYTES = 5_000_000;

/** In the names of unfinished files: comes between the document's name and a unique part. */
export const TEMPORARY = ".new-";

export interface DurableAdapterOptions<Schema extends z.ZodType> {
  readonly files: Files;
  /** The document: one JSON file that people may edit. Its folder must exist. */
  readonly path: string;
  readonly schema: Schema;
  /** Called when a bad file was ignored or set aside. */
  readonly onWarning: (message: string) => void;
}

/**
 * A durable file adapter for lowdb. When `write` resolves, the document is on the disk; after a crash before that,
 * either the old or the new one is there, complete. The former one is kept as `.bak`, a bad one that is overwritten as
 * `.bad`. Calls must not overlap. Source: docs/storage.md, "Small documents".
 */
export class DurableAdapter<Schema extends z.ZodType> implements Adapter<z.infer<Schema>> {
  readonly #options: DurableAdapterOptions<Schema>;

  constructor(options: DurableAdapterOptions<Schema>) {
    this.#options = options;
  }

  /** Null if there is no file. Rejects with `DocumentInvalid` if neither the file nor its `.bak` is valid. */
  async read(): Promise<z.infer<Schema> | null> {
    const { path, onWarning } = this.#options;
    const current = await this.#readFile(path);
    if (!(current instanceof DocumentInvalid)) return current;
    const previous = await this.#readFile(`${path}.bak`);
    if (previous === null || previous instanceof DocumentInvalid) {
      throw new DocumentInvalid(path, current.why, "Correct it, or remove it to start again.");
    }
    onWarning(`${current.message} The version before it, ${path}.bak, is used instead.`);
    return previous;
  }

  /** Rejects with `DocumentInvalid`, before changing anything, if the data are invalid or too large. */
  async write(data: z.infer<Schema>): Promise<void> {
    const { files, path, schema, onWarning } = this.#options;
    const bytes = Buffer.from(`${JSON.stringify(checked(path, schema, data), null, 2)}\n`);
    if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(path, bytes.length);
    const temporary = temporaryName(path);
    try {
      await writeNew(files, temporary, bytes);
      const current = await this.#readFile(path);
      if (current instanceof DocumentInvalid) {
        onWarning(`${current.message} It is kept as ${path}.bad and written anew.`);
        await keepAs(files, path, `${path}.bad`);
      } else if (current !== null) {
        await keepAs(files, path, `${path}.bak`);
      }
      await files.rename(temporary, path);
    } catch (error) {
      await removeIfThere(files, temporary).catch(() => undefined);
      throw error;
    }
    await files.syncDirectory(dirname(path));
  }

  async #readFile(path: string): Promise<z.infer<Schema> | DocumentInvalid | null> {
    const { files, schema } = this.#options;
    let bytes: Buffer;
    try {
      bytes = await files.readFile(path);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return null;
      throw error;
    }
    if (bytes.length > MAX_DOCUMENT_BYTES) return tooLarge(path, bytes.length);
    try {
      return checked(path, schema, JSON.parse(bytes.toString("utf8")));
    } catch (error) {
      if (error instanceof DocumentInvalid) return error;
      if (error instanceof SyntaxError) return new DocumentInvalid(path, `it is not JSON: ${error.message}`);
      throw error;
    }
  }
}

function temporaryName(path: string): string {
  return `${path}${TEMPORARY}${randomUUID()}`;
}

/** Throws `DocumentInvalid`, which names the place of the first problem. */
export function checked<Schema extends z.ZodType>(path: string, schema: Schema, data: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new DocumentInvalid(path, `${place}${issue?.message ?? "it does not fit its schema"}`);
}

function tooLarge(path: string, bytes: number): DocumentInvalid {
  return new DocumentInvalid(path, `${bytes} bytes are more than the ${MAX_DOCUMENT_BYTES} that a document may have`);
}

async function writeNew(files: Files, path: string, bytes: Uint8Array): Promise<void> {
  const file = await files.create(path);
  try {
    await writeFully(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives the file a second name, which replaces any file of that name. The first name always stays. */
async function keepAs(files: Files, path: string, name: string): Promise<void> {
  const temporary = temporaryName(path);
  await files.link(path, temporary);
  try {
    await files.rename(temporary, name);
  } finally {
    // Renaming onto another name of the same file does nothing and leaves both names.
    await removeIfThere(files, temporary);
  }
}
