import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const besideProgram = fileURLToPath(new URL("./catalog-worker.cjs", import.meta.url));

/** The script that reads provider files in a separate process; undefined when the sources run unbuilt. */
export const readerScript = existsSync(besideProgram) ? besideProgram : undefined;
