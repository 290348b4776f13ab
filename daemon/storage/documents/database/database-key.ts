import { join } from "node:path";
import { ConfigRefused } from "../../../config/config-refused.ts";
import type { SealingKeySource } from "../../../config/database-settings.ts";
import { makeKeyFile } from "../make-key-file.ts";
import { readPrivateText } from "../read-private-text.ts";

const FORM = /^[0-9a-f]{64}\s*$/i;
/** Far more than a key has. */
const MAX_BYTES = 10_000;

export interface FoundKey {
  readonly key: Buffer;
  /** For messages: where it was found. */
  readonly place: string;
}

/**
 * The key that seals secrets in the database. Without a setting it is `<config>/database-key`, which is made where `mayMake`
 * says that nothing was sealed yet. Rejects with `ConfigRefused`; never quotes a key.
 */
export async function findDatabaseKey(
  configDir: string,
  source: SealingKeySource | undefined,
  mayMake: boolean,
): Promise<FoundKey> {
  if (source !== undefined && "hex" in source)
    return { key: Buffer.from(source.hex, "hex"), place: "MKT_DATABASE_KEY" };
  const path = source?.file ?? join(configDir, "database-key");
  const found = await readKey(path);
  if (found !== undefined) return found;
  if (source !== undefined) {
    throw new ConfigRefused(
      `MKT_DATABASE_KEY_FILE names ${path}, which is not there. Copy it from the machine of another daemon, or make it with: openssl rand -hex 32 > ${path}`,
    );
  }
  if (!mayMake) {
    throw new ConfigRefused(
      `This database has secrets that another daemon sealed, and ${path} is not there. ` +
        "Copy it from the configuration folder of that daemon, or set MKT_DATABASE_KEY",
    );
  }
  await makeKeyFile(configDir, path);
  const made = await readKey(path);
  if (made === undefined) throw new Error(`${path} was made, and is not there`);
  return made;
}

async function readKey(path: string): Promise<FoundKey | undefined> {
  const text = await readPrivateText(path, MAX_BYTES);
  if (text === undefined) return undefined;
  if (!FORM.test(text)) throw new ConfigRefused(`The file ${path} must have 64 hexadecimal digits and nothing else`);
  return { key: Buffer.from(text.trim(), "hex"), place: path };
}
