import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { ConfigRefused, unusableConfigDir } from "../../config/config-refused.ts";

/**
 * The text of a file that holds secrets; undefined when there is none. Rejects with `ConfigRefused` for one that is a
 * link, that others than its owner may read, or that is longer than `maxBytes`. docs/security.md, T18.
 */
export async function readPrivateText(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP")
      throw new ConfigRefused(`The file ${path} is a symbolic link, which may lead to a place that others can read`);
    throw unusableConfigDir(dirname(path), error);
  });
  if (file === undefined) return undefined;
  try {
    const { mode, size, uid } = await file.stat();
    const self = process.geteuid?.();
    if (self !== undefined && uid !== self && uid !== 0) {
      throw new ConfigRefused(
        `The file ${path} belongs to user ${uid}, who may change the secrets in it. ` +
          `Replace the secrets if that was not you, then: sudo chown ${self} ${path}`,
      );
    }
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      throw new ConfigRefused(
        `The file ${path} holds secrets, and others than you may use it (mode ${(mode & 0o777).toString(8)}). ` +
          `Replace the secrets in it if somebody may have read them, then: chmod 600 ${path}`,
      );
    }
    if (size > maxBytes) throw new ConfigRefused(`The file ${path} has more than ${maxBytes} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
