import { join } from "node:path";
import { variantFor, type Variant } from "./leave-out.ts";

/** Where a variant is written: "all" is what comes with the program, the others are for measuring and outside of git. */
export function variantFolder(projectDir: string, { name }: Variant): string {
  return name === "all"
    ? join(projectDir, "daemon", "discovery", "vectors", "model")
    : join(projectDir, "bench", "discovery", ".models", name);
}

/** The folder with the vectors that a collection may be measured with: none of its own sources is in them. */
export function modelFolderFor(projectDir: string, collection: string): string {
  return variantFolder(projectDir, variantFor(collection));
}
