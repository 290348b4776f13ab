import { fileURLToPath } from "node:url";

/** Where the built page is. */
export const consoleDir = fileURLToPath(new URL("../../dist/console", import.meta.url));
