import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeWordTable } from "./word-table.ts";
import { createWordVectors, type WordVectors } from "./word-vectors.ts";

const MODEL_FILE = "word-vectors.bin";

/** The vectors of a folder, of those that come with the program unless another is named. Rejects where there is no whole file. */
export async function loadWordVectors(folder = modelFolder()): Promise<WordVectors> {
  return createWordVectors(decodeWordTable(await readFile(join(folder, MODEL_FILE))));
}

/** Where the vectors are that come with the program: beside this source, or where a build puts them beside the program. */
export function modelFolder(): string {
  const [beside = "", built = ""] = ["./model", "./discovery/model"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return existsSync(beside) ? beside : built;
}
