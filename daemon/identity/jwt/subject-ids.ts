import { createHash } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_DIGITS = 26;

/**
 * The id of a user or workspace that stands for a subject or an organisation of an issuer: always the same one, so that
 * it is found without being looked up. It has the form of a ULID, and is out of 130 bits of a SHA-256.
 */
export function derivedId(kind: "user" | "workspace", issuer: string, id: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([kind, issuer, id]))
    .digest();
  return [...hash.subarray(0, ID_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]).join("");
}
