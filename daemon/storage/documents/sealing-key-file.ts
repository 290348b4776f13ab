import { join } from "node:path";
import { ConfigRefused } from "../../config/config-refused.ts";
import type { SealingKey } from "../../webhooks/secret-box.ts";
import { makeKeyFile } from "./make-key-file.ts";
import { readPrivateText } from "./read-private-text.ts";

const KEY = /^[0-9a-f]{64}\n?$/;
/** Far more than a key has. */
const MAX_BYTES = 10_000;

/**
 * `<config>/webhook-key`: 32 bytes in hexadecimal, made when the first webhook is. It is in the configuration folder, as all
 * secrets are, and so in no backup of the data folder. Never replaced: what it sealed would be lost. docs/security.md, T18.
 */
export function openSealingKeyFile(configDir: string): SealingKey {
  const path = join(configDir, "webhook-key");
  let known: Buffer | undefined;

  async function find(): Promise<Buffer | undefined> {
    if (known !== undefined) return known;
    const text = await readPrivateText(path, MAX_BYTES);
    if (text === undefined) return undefined;
    if (!KEY.test(text)) {
      throw new ConfigRefused(
        `The file ${path} must have 64 hexadecimal digits. Restore it, or remove it and make webhooks again`,
      );
    }
    known = Buffer.from(text.trim(), "hex");
    return known;
  }

  return {
    find,
    async findOrMake() {
      const found = await find();
      if (found !== undefined) return found;
      await makeKeyFile(configDir, path);
      const made = await find();
      if (made === undefined) throw new Error(`${path} was made, and is not there`);
      return made;
    },
  };
}
