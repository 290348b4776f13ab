import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { VersionArchive } from "../../catalog/editions/version-archive.ts";
import { replacePrivateFile } from "../../../shared/replace-file.ts";

const NAME = /^manifest-([0-9a-f]{64})\.json$/;
const Version = z.strictObject({ file: z.string(), text: z.string() });

/** Versions of provider files as `docs/manifest-<hash>.json` of the data folder. */
export function openVersionFiles(docs: string): VersionArchive {
  const fileOf = (hash: string) => join(docs, `manifest-${hash}.json`);
  return {
    async put(hash, version) {
      await replacePrivateFile(fileOf(hash), JSON.stringify(version));
    },
    async get(hash) {
      const text = await readFile(fileOf(hash), "utf8").catch(() => undefined);
      return text === undefined ? undefined : Version.parse(JSON.parse(text));
    },
    async retain(hashes) {
      for (const name of await readdir(docs)) {
        const hash = NAME.exec(name)?.[1];
        if (hash !== undefined && !hashes.has(hash)) await rm(join(docs, name), { force: true });
      }
    },
  };
}
