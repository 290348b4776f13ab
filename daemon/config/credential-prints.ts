import { createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, replacePrivateFile } from "../../shared/replace-file.ts";
import type { Logger } from "../base/logger.ts";

/** Makes texts that stand for secrets. */
export type PrintCredential = (secrets: Readonly<Record<string, string>>) => Promise<string>;

const KEY_FORM = /^[0-9a-f]{64}$/;

/**
 * A print tells whether secrets are the same as before, and nothing else: it is keyed by a random key in the configuration
 * folder, so that the data folder and its backups, where what is made of prints lies, do not let anybody try out
 * passwords. The key is made when it is first needed. Without it (another folder, a file that cannot be written) prints
 * are others, and answers of earlier runs are not found.
 */
export function openCredentialPrints(configDir: string, logger: Logger): PrintCredential {
  return printWith(async () => await readOrMakeKey(configDir, logger));
}

/** `findKey` is asked once, when a print is first needed; it may make the key. */
export function printWith(findKey: () => Promise<string>): PrintCredential {
  let key: Promise<string> | undefined;
  return async (secrets) => {
    const names = Object.keys(secrets).sort();
    if (names.length === 0) return "none";
    key ??= findKey();
    key.catch(() => (key = undefined));
    const text = JSON.stringify(names.map((name) => [name, secrets[name]]));
    return createHmac("sha256", await key)
      .update(text)
      .digest("hex");
  };
}

async function readOrMakeKey(configDir: string, logger: Logger): Promise<string> {
  const path = join(configDir, "credential-print.key");
  const known = await readFile(path, "utf8").catch(() => "");
  if (KEY_FORM.test(known.trim())) return known.trim();
  const made = randomBytes(32).toString("hex");
  try {
    await makePrivateFolder(configDir);
    await replacePrivateFile(path, `${made}\n`);
  } catch (error) {
    logger.warn({ err: error, path }, "answers of this process's runs will not be found after a restart");
  }
  return made;
}
