import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeWordTable } from "./word-table.ts";
import { createWordVectors, type WordVectors } from "./word-vectors.ts";

const MODEL_FILE = "word-vectors.bin";

/** Loads the vectors of a folder; absent: those that come with the program. Rejects when there is no complete file. */
export async function loadWordVectors(folder = modelFolder()): Promise<WordVectors> {
  return createWordVectors(decodeWordTable(await readFile(join(folder, MODEL_FILE))));
}

/** The folder of the program's vectors: beside this source, or where a build puts them beside the program. */
export function modelFolder(): string {
  const [beside = "", built = ""] = ["./model", "./discovery/model"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return existsSync(beside) ? beside : built;
}
