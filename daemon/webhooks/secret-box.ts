import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Where the key is that seals secrets: the configuration folder, never the data folder. */
export interface SealingKey {
  /** 32 bytes; undefined while there is none. Rejects when the file is not usable. */
  find(): Promise<Buffer | undefined>;
  /** The same, made when there is none. */
  findOrMake(): Promise<Buffer>;
}

/** Keeps secrets in lines of the journal so that the data folder and its backups alone do not give them away. */
export interface SecretBox {
  /** `of` names what the secret belongs to: it opens with the same name only. */
  seal(text: string, of: string): Promise<string>;
  /** Undefined for what another key sealed, or for another name. */
  open(sealed: string, of: string): Promise<string | undefined>;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Sealed with AES-256-GCM under a fresh nonce. docs/security.md, T18. */
export function createSecretBox(key: SealingKey): SecretBox {
  return {
    seal: async (text, of) => sealWith(await key.findOrMake(), text, of),
    async open(sealed, of) {
      const secret = await key.find();
      return secret === undefined ? undefined : openWith(secret, sealed, of);
    },
  };
}

/** `key`: 32 bytes. */
export function sealWith(key: Buffer, text: string, of: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(of));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** Undefined for what another key sealed, or for another name. */
export function openWith(key: Buffer, sealed: string, of: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(of))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
