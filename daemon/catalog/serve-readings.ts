import type { MessagePort } from "node:worker_threads";
import type { CatalogFolder } from "./catalog-folder.ts";
import type { CategoryData } from "./categories-file.ts";
import { CategoryTree } from "./categories.ts";
import { readProviderFile } from "./provider-file.ts";
import { foldReading } from "./folded-reading.ts";

/** What a thread is asked: one file. */
export interface ReadingQuestion {
  readonly file: string;
  readonly folder: CatalogFolder;
  readonly categories: CategoryData;
}

/** Answers what comes through the port with the reading as JSON, for as long as the thread lives. */
export function serveReadings(port: MessagePort): void {
  port.on("message", ({ file, folder, categories }: ReadingQuestion) => {
    void readProviderFile(file, { folder, tree: new CategoryTree(categories) }).then((read) =>
      port.postMessage(JSON.stringify(foldReading(read))),
    );
  });
}
