import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../shared/real-path.ts";
import { decodeText } from "./decode-text.ts";
import type { Description } from "./description.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";
import { findOutsideReferences } from "./outside-references.ts";
import { parseDescription } from "./parse-description.ts";
import { MAX_DESCRIPTION_BYTES, readRegularFile } from "./read-file.ts";

/** The limits for documents that one description refers to, and for their total size. */
const MAX_SIBLINGS = 1_000;
const MAX_SIBLING_BYTES = MAX_DESCRIPTION_BYTES;

export interface ReadFileOptions {
  /** Called with the text before it is parsed; false: the file is not a description. */
  readonly onlyIf?: (text: string) => boolean;
}

export async function readDescriptionFile(file: string): Promise<Description>;
export async function readDescriptionFile(file: string, options: ReadFileOptions): Promise<Description | undefined>;
/** Reads a description from a file, with the files below its folder that it refers to. Throws ImportRefused. */
export async function readDescriptionFile(
  file: string,
  options: ReadFileOptions = {},
): Promise<Description | undefined> {
  const path = resolve(file);
  const bytes = await readRegularFile(path);
  const text = decodeText(bytes);
  if (options.onlyIf?.(text) === false) return undefined;
  const { value, notes } = await parseDescription(text);
  const siblings = new SiblingReader(dirname(path), basename(path));
  await siblings.follow(value);
  return {
    ref: path,
    sha256: siblings.hashWith(bytes),
    value,
    notes,
    siblings: siblings.values,
    refused: siblings.refused,
  };
}

const WHY_ALONE = "the document came from an address, and nothing more is fetched. Save it and its parts as files";
const WHY_UPLOADED =
  "the document was sent alone, and nothing is read for it. Put its parts into it, or import it with mkt catalog import";

/**
 * Reads a description that came from an address, or in a request. References to other documents are not followed: nothing
 * more is fetched or read. Throws ImportRefused.
 */
export async function readDescriptionBytes(
  bytes: Uint8Array,
  address: string,
  isUploaded = false,
): Promise<Description> {
  const { value, notes } = await parseDescription(decodeText(bytes));
  const why = isUploaded ? WHY_UPLOADED : WHY_ALONE;
  const outside = findOutsideReferences(value, "");
  return {
    ref: address,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    value,
    notes,
    siblings: new Map(),
    refused: new Map(outside.map((found) => [found.reference, found.kind === "refused" ? found.why : why])),
  };
}

/** Reads the referenced files one after another, and records why others are not read. */
class SiblingReader {
  readonly values = new Map<string, unknown>();
  readonly refused = new Map<string, string>();
  readonly #folder: string;
  readonly #own: string;
  readonly #hashes = new Map<string, string>();
  #bytes = 0;

  constructor(folder: string, own: string) {
    this.#folder = folder;
    this.#own = own;
  }

  async follow(entry: unknown): Promise<void> {
    const open = [{ value: entry, path: this.#own }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const found of findOutsideReferences(next.value, next.path)) {
        if (found.kind === "refused") {
          this.refused.set(found.reference, found.why);
        } else if (found.path !== this.#own && !this.values.has(found.path)) {
          const value = await this.#read(found.path, found.reference);
          if (value !== undefined) open.push({ value, path: found.path });
        }
      }
    }
  }

  /** SHA-256 of the description alone, or of it and of all that it refers to. */
  hashWith(entry: Uint8Array): string {
    const hash = createHash("sha256").update(entry);
    for (const path of [...this.#hashes.keys()].sort()) hash.update(`\n${path} ${this.#hashes.get(path)}`);
    return hash.digest("hex");
  }

  async #read(path: string, reference: string): Promise<unknown> {
    try {
      const bytes = await this.#readBytes(path);
      const { value } = await parseDescription(decodeText(bytes));
      this.values.set(path, value);
      this.#hashes.set(path, createHash("sha256").update(bytes).digest("hex"));
      return value;
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      this.refused.set(reference, error.message);
      return undefined;
    }
  }

  async #readBytes(path: string): Promise<Buffer> {
    if (this.values.size >= MAX_SIBLINGS) {
      throw new ImportRefused("size", `The document refers to more than ${MAX_SIBLINGS} files.`);
    }
    const outside = new ImportRefused("reference", "It leads out of the document's own folder, and is not read.");
    if (path.startsWith("../") || path === "..") throw outside;
    const full = join(this.#folder, path);
    const [folder, real] = await Promise.all([realpath(this.#folder), realpath(full)]).catch(() => {
      throw new ImportRefused("reference", `There is no file ${path} beside the document.`);
    });
    if (!isWithin(folder, real)) throw outside;
    const bytes = await readRegularFile(real, MAX_SIBLING_BYTES - this.#bytes);
    this.#bytes += bytes.length;
    return bytes;
  }
}
