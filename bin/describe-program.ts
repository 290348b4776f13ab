import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { BuiltProgram } from "../daemon/config/daemon-config.ts";
import { buildMark } from "./build/build-mark.ts";

const BuildFile = z.object({ version: z.string(), build: z.string() });

/** The running program: holds the scripts of its threads and processes, and can read which build is on the disk now. */
export async function describeProgram(): Promise<BuiltProgram> {
  const beside = (name: string) => readFile(new URL(`./${name}`, import.meta.url));
  const [catalogWorker, indexWorker] = await Promise.all([beside("catalog-worker.cjs"), beside("index-worker.cjs")]);
  return {
    build: buildMark,
    catalogWorker,
    indexWorker,
    importWorker: fileURLToPath(new URL("./import-worker.cjs", import.meta.url)),
    segmentWorker: () => beside("segment-worker.cjs"),
    consoleDir: fileURLToPath(new URL("./console", import.meta.url)),
    async installed() {
      try {
        return BuildFile.parse(JSON.parse((await beside("build.json")).toString("utf8")));
      } catch {
        return undefined;
      }
    },
  };
}
