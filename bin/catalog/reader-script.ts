import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const besideProgram = fileURLToPath(new URL("./catalog-worker.cjs", import.meta.url));

/** What reads provider files in a process of its own; undefined where the sources run as they are. */
export const readerScript = existsSync(besideProgram) ? besideProgram : undefined;
