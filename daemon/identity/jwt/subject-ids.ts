import { createHash } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_DIGITS = 26;

/**
 * The id of the user or workspace for a subject or an organisation of an issuer: always the same, so it needs no
 * look-up. It has the form of a ULID, made from 130 bits of a SHA-256.
 */
export function derivedId(kind: "user" | "workspace", issuer: string, id: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([kind, issuer, id]))
    .digest();
  return [...hash.subarray(0, ID_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]).join("");
}
