import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorText } from "../../../shared/error-text.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import { parseCatalogText } from "./parse-catalog-text.ts";

/** A catalog file as read: plain data, and the location of each part. */
export interface CatalogSource {
  readonly file: string;
  readonly value: unknown;
  /** SHA-256 (hex) of the file's bytes. */
  readonly hash: string;
  /** The line of a place in the file, or of the nearest part around it. */
  lineOf(path: DocumentPath): number | undefined;
}

export type ReadResult = { readonly source: CatalogSource } | { readonly problems: readonly CatalogProblem[] };

/** docs/security.md, T27. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a YAML or JSON file of a catalog folder. Errors are returned as problems; nothing is thrown. An untrusted file
 * costs bounded time and memory, whatever it contains.
 */
export async function readManifestFile(file: string, maxBytes = MAX_FILE_BYTES): Promise<ReadResult> {
  const problems = new ProblemList(file, () => undefined);
  const bytes = await readManifestBytes(file, problems, maxBytes);
  if (bytes === undefined) return { problems: problems.list() };
  return await parseManifestBytes(bytes, file);
}

/** As `readManifestFile`, from the bytes of the file. */
export async function parseManifestBytes(bytes: Uint8Array, file: string): Promise<ReadResult> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const problems = new ProblemList(file, () => undefined);
    problems.report([], "encoding", "The file is not UTF-8 text; save it as UTF-8.");
    return { problems: problems.list() };
  }
  const parsed = await parseCatalogText(text, file);
  if ("problems" in parsed) return parsed;
  return {
    source: {
      file,
      value: parsed.value,
      hash: createHash("sha256").update(bytes).digest("hex"),
      lineOf: parsed.lineOf,
    },
  };
}

/** The bytes of a regular file that is not too large; undefined, with a problem in `problems`, for anything else. */
export async function readManifestBytes(
  file: string,
  problems: ProblemList,
  maxBytes = MAX_FILE_BYTES,
): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe that somebody put into the folder would hang the start.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (!facts.isFile()) {
      problems.report([], "file", "This is not a regular file; a catalog folder holds YAML and JSON files.");
      return undefined;
    }
    if (facts.size > maxBytes) {
      problems.report([], "size", `The file has ${facts.size} bytes; at most ${maxBytes} are read. Split it.`);
      return undefined;
    }
    return await handle.readFile();
  } catch (error) {
    const reason = errorText(error);
    problems.report([], "file", `The file cannot be read: ${reason}.`);
    return undefined;
  } finally {
    await handle?.close();
  }
}
