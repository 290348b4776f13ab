import { fileURLToPath } from "node:url";

/** The folder of the catalog that comes with the program. */
export const bundledCatalogDir = fileURLToPath(new URL("../../catalog", import.meta.url));
