import { createHash } from "node:crypto";
import type { CategoryData } from "../categories/categories-file.ts";

/** SHA-256 (hex). */
export function categoriesDigest({ tops, leaves, placements }: CategoryData): string {
  return createHash("sha256")
    .update(JSON.stringify([tops, leaves, [...placements]]))
    .digest("hex");
}
