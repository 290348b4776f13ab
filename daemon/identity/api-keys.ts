import { hash as hashOf, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * An API key is `<word>_<stage>_<secret><tail>`: 32 random bytes in 43 base62 digits, then a CRC-32 over `<stage>_<secret>`
 * in 6. The word is not part of the credential, so that `monid_live_…` is the same key as `mkt_live_…`.
 * docs/security.md, T15; docs/contract.md, "API keys".
 */
export interface IssuedKey {
  /** The whole key: shown once, never stored. */
  readonly key: string;
  /** Stored to look the key up. */
  readonly hash: string;
  /** May be shown. */
  readonly prefix: string;
  /** Identifies the key in records; it does not allow the key to be guessed. */
  readonly fingerprint: string;
}

const WORD = "mkt";
/** A session of the console shows in its key that it is one. */
type Stage = "live" | "console";
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const TAIL_DIGITS = 6;
const PREFIX_DIGITS = 8;
const FINGERPRINT_DIGITS = 16;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);

/** Makes a new key. `random` is 32 bytes; only tests set it. */
export function issueKey(random: Uint8Array = randomBytes(SECRET_BYTES), stage: Stage = "live"): IssuedKey {
  const secret = toBase62(BigInt(`0x${Buffer.from(random).toString("hex")}`), SECRET_DIGITS);
  const credential = `${stage}_${secret}${tailOf(stage, secret)}`;
  const hash = hashCredential(credential);
  return {
    key: `${WORD}_${credential}`,
    hash,
    prefix: `${WORD}_${stage}_${secret.slice(0, PREFIX_DIGITS)}`,
    fingerprint: hash.slice(0, FINGERPRINT_DIGITS),
  };
}

/** The `<stage>_<secret>` of a well-formed key, whatever its first word; undefined when it cannot be a key of this service. */
export function parseKey(text: string): string | undefined {
  const match = /^[a-z]+_([a-z0-9]+)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, stage = "", secret = "", tail = ""] = match;
  return tail === tailOf(stage, secret) ? `${stage}_${secret}${tail}` : undefined;
}

/** SHA-256 in hex: enough for a secret of 256 random bits. */
export function hashCredential(credential: string): string {
  return hashOf("sha256", credential, "hex");
}

function tailOf(stage: string, secret: string): string {
  let text = "";
  // Numbers and not BigInt: it is worked out for every request, and 32 bits fit.
  for (let rest = crc32(`${stage}_${secret}`); rest > 0; rest = Math.floor(rest / DIGITS.length)) {
    text = `${DIGITS[rest % DIGITS.length]}${text}`;
  }
  return text.padStart(TAIL_DIGITS, "0");
}

function toBase62(value: bigint, width: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= BASE) {
    text = `${DIGITS[Number(rest % BASE)]}${text}`;
  }
  return text.padStart(width, "0");
}
