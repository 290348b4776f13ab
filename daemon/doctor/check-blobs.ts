import { createHash } from "node:crypto";
import { join } from "node:path";
import { RunDoneLine } from "../ledger/lines/run-lines.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { type Files } from "../storage/files.ts";
import type { FoundLine } from "../storage/journal/segments/recovery.ts";
import { countWords } from "../../shared/count-words.ts";
import type { Findings } from "./finding.ts";

const CHUNK_BYTES = 1_024 * 1_024;
const BLOB = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

interface Reference {
  readonly bytes: number;
  /** The location of the line that refers to it. */
  readonly file: string;
  readonly offset: number;
}

/**
 * Outputs stored in files of their own: each one that a line refers to exists and is unchanged, and there is no other.
 */
export class BlobCheck {
  readonly #references = new Map<string, Reference>();

  take({ content, file, offset }: FoundLine): void {
    const out = content["t"] === "run.done" ? RunDoneLine.shape.out.safeParse(content["out"]).data : undefined;
    if (out !== undefined) this.#references.set(out.sha256, { bytes: out.bytes, file: `log/${file}`, offset });
  }

  /**
   * `names` are those of all files of the folder. `isWhole`: all lines were read, so that a file without a reference is
   * an orphan.
   */
  async end(
    files: Files,
    dataDir: string,
    findings: Findings,
    names: readonly string[],
    isWhole: boolean,
  ): Promise<void> {
    findings.looked.set("blobs", countWords(this.#references.size, "file"));
    for (const [sha256, { bytes, ...place }] of this.#references) {
      const file = `blobs/${sha256.slice(0, 2)}/${sha256}`;
      const found = await digestOf(files, join(dataDir, file));
      if (found === undefined)
        findings.damage("blobs", `the output ${file}, which the line refers to, is missing`, place);
      else if (found.sha256 !== sha256 || found.bytes !== bytes) {
        findings.damage("blobs", "its content is not what was written", { file });
      }
    }
    if (!isWhole) return;
    for (const file of names) {
      const sha256 = BLOB.exec(file)?.[1];
      if (sha256 === undefined || this.#references.has(sha256)) continue;
      findings.note("blobs", "no line refers to it", { file, mend: { kind: "remove", file } });
    }
  }
}

async function digestOf(files: Files, path: string): Promise<{ sha256: string; bytes: number } | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const file = await files.openForReading(path);
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let read = await file.read(chunk, 0); read > 0; read = await file.read(chunk, bytes)) {
        hash.update(chunk.subarray(0, read));
        bytes += read;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return { sha256: hash.digest("hex"), bytes };
}
