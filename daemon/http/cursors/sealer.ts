import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** Encrypts texts that contain positions in the data of the whole service, so that their receivers cannot read them. */
export interface Sealer {
  /** Deterministic, so that an id stays the same id. */
  seal(text: string): string;
  /** Undefined for anything that was not sealed with this key. */
  open(sealed: string): string | undefined;
  /**
   * The newest number of the journal when the key was made. Cursors from before are not sealed and contain no larger
   * number. An unsealed cursor with a larger one was forged by its caller, who could learn the position of a new run
   * with it.
   */
  readonly unsealedUpTo: number;
}

/** The document `<data>/docs/sealing-key.json`: 32 bytes in hexadecimal. */
export const SealingKeyDocument = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/),
  unsealedUpTo: z.int().min(0).default(0),
});

const IV_BYTES = 16;

/** Padding hides the length, because a number's length tells how large it is. */
const PADDED_TO_BYTES = 32;

/**
 * Sealed with AES-256-CTR under an IV that is the text's HMAC-SHA-256, which `open` checks: deterministic authenticated
 * encryption as in SIV (RFC 5297). `key`: 32 bytes.
 */
export function createSealer(key: Uint8Array, unsealedUpTo = 0): Sealer {
  const derive = (use: string) => Buffer.from(hkdfSync("sha256", key, "", `mkt ${use}`, 32));
  const [encryption, authentication] = [derive("sealer encryption"), derive("sealer authentication")];
  const ivOf = (padded: Buffer) => createHmac("sha256", authentication).update(padded).digest().subarray(0, IV_BYTES);
  return {
    unsealedUpTo,
    seal(text) {
      const padded = pad(Buffer.from(text));
      const iv = ivOf(padded);
      const cipher = createCipheriv("aes-256-ctr", encryption, iv);
      return Buffer.concat([iv, cipher.update(padded), cipher.final()]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length <= IV_BYTES || bytes.toString("base64url") !== sealed) return undefined;
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv("aes-256-ctr", encryption, iv);
      const padded = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]);
      return timingSafeEqual(ivOf(padded), iv) ? padded.toString().replace(/\0+$/, "") : undefined;
    },
  };
}

function pad(text: Buffer): Buffer {
  return Buffer.concat([text], Math.ceil(text.length / PADDED_TO_BYTES) * PADDED_TO_BYTES);
}
