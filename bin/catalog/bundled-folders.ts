import { join } from "node:path";
import type { NamedPaths } from "../../daemon/catalog/reading/named-paths.ts";

/** The catalog that was built with the program, and in a checkout or a package what it was built from. */
export function bundledFolders(bundledDir: string): Required<Pick<NamedPaths, "bundledDir" | "bundledSourceDir">> {
  return { bundledDir, bundledSourceDir: join(bundledDir, "..", "..", "catalog") };
}
