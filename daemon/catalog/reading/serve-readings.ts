import type { CatalogFolder } from "./catalog-folder.ts";
import type { CategoryData } from "../categories/categories-file.ts";
import { CategoryTree } from "../categories/category-tree.ts";
import { type FoldedReading, foldReading } from "./folded-reading.ts";
import { readProviderBytes } from "./provider-file.ts";

/** A question to a reader process: one file. */
export interface ReadingQuestion {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly folder: CatalogFolder;
  /** Of the categories: SHA-256 (hex). */
  readonly digest: string;
  /** Sent once: the process knows them from then on. */
  readonly categories?: CategoryData;
}

export type ReadingAnswer = FoldedReading | "which categories?";

/** Answers `ReadingQuestion`s, using the categories that it last received. */
export function createReadingAnswers(): (question: unknown) => Promise<ReadingAnswer> {
  let known: { readonly digest: string; readonly tree: CategoryTree } | undefined;
  return async (question) => {
    const { file, bytes, folder, digest, categories } = question as ReadingQuestion;
    if (categories !== undefined) known = { digest, tree: new CategoryTree(categories) };
    if (known?.digest !== digest) return "which categories?";
    return foldReading(await readProviderBytes(bytes, file, { folder, tree: known.tree }));
  };
}
