import { basename, dirname, join } from "node:path";
import { Low } from "lowdb";
import type { z } from "zod";
import { nodeFiles, removeIfThere, type Files } from "../files.ts";
import { DurableAdapter, TEMPORARY } from "./durable-adapter.ts";

/** A small JSON file that people edit too, for example `settings.json`. */
export interface Document<Data> {
  /** The content on the disk at the last read or update. Do not change it; see `update`. */
  readonly data: Data;
  /**
   * Reads the file again, so that an edit made by hand is kept, applies `change` to a copy, and resolves when the
   * result is on the disk. Updates run one at a time. Rejects with `DocumentInvalid` if the result does not fit the
   * schema, with what `change` throws, or with the disk's error; then `data` is unchanged.
   */
  update(change: (draft: Data) => void): Promise<void>;
}

export interface DocumentOptions {
  readonly files?: Files;
  /** Called when a bad file was ignored in favour of its `.bak`, or moved to `.bad`. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens a document in an existing folder; nothing is written until the first update. `defaults` are used while there is
 * no file. Rejects with `DocumentInvalid` if neither the file nor its `.bak` is valid. Source: docs/storage.md, "Small
 * documents".
 */
export async function openDocument<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  defaults: z.infer<Schema>,
  { files = nodeFiles(), onWarning = () => undefined }: DocumentOptions = {},
): Promise<Document<z.infer<Schema>>> {
  await sweep(files, path);
  const low = new Low<z.infer<Schema>>(new DurableAdapter({ files, path, schema, onWarning }), defaults);
  await low.read();
  let durable = low.data;
  let last: Promise<unknown> = Promise.resolve();

  const updateNow = async (change: (draft: z.infer<Schema>) => void) => {
    low.data = defaults;
    await low.read();
    const draft = structuredClone(low.data);
    change(draft);
    low.data = draft;
    await low.write();
    durable = schema.parse(draft);
  };
  return {
    get data() {
      return durable;
    },
    update(change) {
      const update = last.then(() => updateNow(change));
      last = update.catch(() => undefined);
      return update;
    },
  };
}

/** Removes the temporary files of updates that did not finish. */
async function sweep(files: Files, path: string): Promise<void> {
  const folder = dirname(path);
  const leftovers = (await files.list(folder)).filter((name) => name.startsWith(`${basename(path)}${TEMPORARY}`));
  for (const name of leftovers) await removeIfThere(files, join(folder, name));
}
