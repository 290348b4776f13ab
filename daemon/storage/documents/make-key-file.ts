import { randomBytes } from "node:crypto";
import { link, unlink } from "node:fs/promises";
import { flushFolder, makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { unusableConfigDir } from "../../config/config-refused.ts";

/** Makes a file of 32 random bytes, in hexadecimal. One that is there stays. Throws `ConfigRefused`. */
export async function makeKeyFile(configDir: string, path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    await makePrivateFolder(configDir);
    await replacePrivateFile(temporary, `${randomBytes(32).toString("hex")}\n`);
    // Of two daemons with one configuration folder the first one's key counts.
    await link(temporary, path).catch((error: unknown) => {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    });
    await flushFolder(configDir);
  } catch (error) {
    throw unusableConfigDir(configDir, error);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}
