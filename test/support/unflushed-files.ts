import type { Files, OpenFile } from "../../daemon/storage/files.ts";

/** The same disk, and nothing is ever flushed: the negative control, and what waiting for the disk costs. */
export function unflushed(files: Files): Files {
  const nothing = async () => {};
  const withoutFlush = (file: OpenFile): OpenFile => ({ ...file, datasync: nothing, sync: nothing });
  return {
    ...files,
    create: async (path) => withoutFlush(await files.create(path)),
    openForChange: async (path) => withoutFlush(await files.openForChange(path)),
    syncDirectory: nothing,
  };
}
